/** The files under deploy/, checked by the programs that read them. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { makeHome } from '../cli/votary.ts';
import { freePort } from '../support/free-port.ts';
import { requirement } from '../support/requirement.ts';
import { serve } from '../support/serve.ts';

const ROOT = join(import.meta.dirname, '../..');

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-deploy-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('nginx accepts deploy/nginx.conf', { skip: requirement('nginx') }, async (t) => {
  const folder = await makeFolder(t);
  const home = await makeHome({ VOTARY_PORT: '0' });
  const served = await serve(home);
  await served.stop();
  const site = (await readFile(join(ROOT, 'deploy/nginx.conf'), 'utf8'))
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${home.dataDir}/tls/cert.pem;`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${home.dataDir}/tls/key.pem;`)
    .replace(/listen (\[::\]:)?80;/g, `listen 127.0.0.1:${await freePort()};`)
    .replace(/listen (\[::\]:)?443 ssl;/g, `listen 127.0.0.1:${await freePort()} ssl;`)
    .replace(/(listen [^;]+;)\n\s*\1/g, '$1');
  const file = join(folder, 'nginx.conf');
  await writeFile(file, `pid ${folder}/pid; events {} http { access_log off; ${site} }`);
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file, '-e', 'stderr'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('Caddy accepts deploy/Caddyfile', { skip: requirement('caddy') }, async (t) => {
  const env = { ...process.env, HOME: await makeFolder(t) };
  const file = join(ROOT, 'deploy/Caddyfile');
  const command = ['validate', '--adapter', 'caddyfile', '--config', file];
  const { status, stderr } = spawnSync('caddy', command, { encoding: 'utf8', env });
  assert.equal(status, 0, stderr);
});

/** The unit of a single process, and the template of several that are restarted one after the other. */
const UNITS = { 'votary.service': 'votary.service', 'votary@.service': 'votary@8443.service' };

for (const [unit, instance] of Object.entries(UNITS)) {
  test(`systemd accepts ${unit}`, { skip: requirement('systemd') }, async (t) => {
    const folder = await makeFolder(t);
    const source = await readFile(join(ROOT, 'deploy/systemd', unit), 'utf8');
    const file = join(folder, instance);
    // systemd-analyze checks that the program exists.
    await writeFile(file, source.replace('/usr/local/bin/votary', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /votary/);
  });
}

/** The settings of a unit, without comments, by section. */
async function settingsOf(unit: string): Promise<string[]> {
  const lines = (await readFile(join(ROOT, 'deploy/systemd', unit), 'utf8')).split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

test('the unit for one process and the unit for several differ only in the port', async () => {
  const [one, several] = [await settingsOf('votary.service'), await settingsOf('votary@.service')];
  assert.deepEqual(
    several.filter((line) => !one.includes(line)),
    [
      'Description=Votary on port %i, vote verification for server-listing sites',
      'EnvironmentFile=-/etc/votary/env-%i',
      'ExecStart=/usr/bin/env VOTARY_PORT=%i /usr/local/bin/votary serve',
    ],
  );
  assert.equal(several.length, one.length + 1);
});

test('the unit is started again for as long as it takes, and leaves the database to the file of variables', async () => {
  const settings = await settingsOf('votary.service');
  const [unit] = [settings.slice(0, settings.indexOf('[Service]'))];
  assert.ok(unit.includes('StartLimitIntervalSec=0'));
  assert.ok(unit.some((line) => /^After=.*\bpostgresql\.service\b/.test(line)));
  for (const setting of ['User=votary', 'Restart=always', 'EnvironmentFile=/etc/votary/env']) {
    assert.ok(settings.includes(setting), setting);
  }
  assert.deepEqual(
    settings.filter((line) => /DynamicUser|VOTARY_DATA/.test(line)),
    [],
  );
});

test('systemd-sysusers and systemd-tmpfiles accept their files', { skip: requirement('systemd') }, () => {
  const [users, files] = ['votary.sysusers', 'votary.tmpfiles'].map((name) =>
    join(ROOT, 'deploy/systemd', name),
  );
  const added = spawnSync('systemd-sysusers', ['--dry-run', users ?? ''], { encoding: 'utf8' });
  assert.match(added.stderr, /(?:Creating user 'votary'|^$)/);
  assert.equal(added.status, 0, added.stderr);
  // The user does not exist here, which is reported after the syntax was checked.
  const made = spawnSync('systemd-tmpfiles', ['--create', '--prefix=/nowhere', files ?? ''], {
    encoding: 'utf8',
  });
  assert.doesNotMatch(made.stderr, /Unknown|Invalid|syntax/i);
});

test('Prometheus accepts the rules, and their tests pass', { skip: requirement('promtool') }, () => {
  for (const [command, file] of [
    ['check', 'votary.rules.yml'],
    ['test', 'votary.rules.test.yml'],
  ] as const) {
    const path = join(ROOT, 'deploy/prometheus', file);
    const { status, stdout, stderr } = spawnSync('promtool', [command, 'rules', path], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  }
});

test('the image is built and run by an unprivileged user from code that it cannot write', {
  timeout: 240_000,
}, async (t) => {
  const folder = await makeFolder(t);
  await chmod(folder, 0o755);
  const source = join(folder, 'source');
  for (const part of [
    'src',
    'bin',
    'scripts',
    'deploy',
    'docs/guides',
    'sdk',
    'clients',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'LICENSE',
  ])
    await cp(join(ROOT, part), join(source, part), { recursive: true });
  execFileSync('chmod', ['-R', 'a-w,a+rX', source]);
  const work = join(folder, 'work');
  await mkdir(work);
  const isRoot = process.getuid?.() === 0;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  const owner: { uid?: number; gid?: number } = isRoot ? { uid: id('-u'), gid: id('-g') } : {};
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(work, owner.uid, owner.gid);
  // The variables that npm needs to reach the registry, without those that npm sets for its scripts.
  const outside = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm|VOTARY)_/.test(name)),
  );
  const env = { ...outside, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: work };
  const app = join(work, 'app');
  const script = join(source, 'deploy/build-image.sh');
  const built = spawnSync(script, [source, app], { ...owner, env, cwd: work, encoding: 'utf8' });
  assert.equal(built.status, 0, built.stderr);
  for (const file of ['clients/votary-sdk.tgz', 'site/docs/public/scalar.js'])
    assert.ok(existsSync(join(app, 'dist', file)), file);
  execFileSync('chmod', ['-R', 'a-w', app]);

  const port = String(await freePort());
  const variables = {
    ...env,
    NODE_ENV: 'production',
    VOTARY_DATA_DIR: join(work, 'data'),
    VOTARY_PORT: port,
  };
  const child = spawn(process.execPath, [join(app, 'bin/votary.js'), 'serve', '--json'], {
    ...owner,
    env: variables,
    cwd: '/',
  });
  t.after(() => child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  const printed = text(child.stderr);
  const failed = exit.then(async () => assert.fail(await printed));
  await Promise.race([once(child.stdout, 'data'), failed]);
  const health = () =>
    spawnSync(process.execPath, [join(app, 'bin/healthcheck.js')], { ...owner, env: variables }).status;
  assert.equal(health(), 0);
  failed.catch(() => undefined);
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
  assert.equal(health(), 1);
  execFileSync('chmod', ['-R', 'u+w', folder]);
});

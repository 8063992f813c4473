/** The published package: packed, installed into an empty folder without install scripts, and used. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { VERSION } from '../../sdk/src/version.ts';
import { ownNode, run } from '../sdk/packed.ts';
import { requirement } from '../support/requirement.ts';

const ROOT = join(import.meta.dirname, '../..');
const WHEEL = `votary-${VERSION}-py3-none-any.whl`;
const GUILD = '123456789012345678';
/** Nearly half of it is the script of the interactive API reference. */
const MAX_UNPACKED_BYTES = 9_500_000;

type Packed = { filename: string; unpackedSize: number; files: { path: string }[] };

const agent = new Agent({ rejectUnauthorized: false });

async function get(url: string, key?: string): Promise<{ status: number; body: string }> {
  const call = request(url, { agent, headers: key ? { authorization: `Bearer ${key}` } : {} }).end();
  const [response] = await once(call, 'response');
  return { status: response.statusCode, body: await text(response) };
}

describe('the package @votary/server', { timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'votary-package-'));
  const prefix = join(folder, 'global');
  const votary = join(prefix, 'lib/node_modules/@votary/server/bin/votary.js');
  const env = { VOTARY_DATA_DIR: join(folder, 'data'), VOTARY_PORT: '0' };
  let packed: Packed;
  let served: ChildProcess | undefined;

  before(() => {
    const output = run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ROOT });
    const [found] = Object.values<Packed>(JSON.parse(output.slice(output.search(/^[[{]/m))));
    assert.ok(found);
    packed = found;
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    const tarball = join(folder, packed.filename);
    run('npm', ['install', '--global', '--prefix', prefix, ...options, tarball], { cwd: folder });
  });
  after(() => {
    served?.kill('SIGKILL');
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  const command = (...args: string[]): unknown =>
    JSON.parse(run(process.execPath, [votary, ...args, '--json'], { cwd: folder, env }));

  it('contains compiled code, migrations, static files and documentation, and nothing else', () => {
    assert.ok(packed.unpackedSize < MAX_UNPACKED_BYTES, `${packed.unpackedSize} bytes`);
    const expected =
      /^(bin|dist|docs|deploy)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$/;
    const paths = packed.files.map(({ path }) => path);
    assert.deepEqual(
      paths.filter((path) => !expected.test(path) || path.endsWith('.ts') || /^docs.*\.png$/.test(path)),
      [],
    );
    for (const path of [
      'dist/votary.cjs',
      'dist/votary.cjs.map',
      'dist/site/sharing/card-worker.cjs',
      'dist/store/sqlite/migrations/0001-schema.sql',
      'dist/site/public/base.css',
      'dist/clients/votary-sdk.tgz',
      `dist/clients/${WHEEL}`,
      ...(requirement('java') ? [] : ['dist/clients/votary-minecraft.jar']),
      'dist/marked.LICENSE',
      'dist/site/docs/public/scalar.js',
      'dist/site/docs/public/scalar.js.LICENSE',
      'SECURITY.md',
    ])
      assert.ok(paths.includes(path), path);
  });

  it('installs none of the packages that only the build and the tests need', () => {
    const modules = join(prefix, 'lib/node_modules/@votary/server/node_modules');
    assert.ok(existsSync(join(modules, 'fastify')));
    for (const name of ['@scalar', 'selfsigned', 'typescript'])
      assert.ok(!existsSync(join(modules, name)), name);
  });

  it('has a command that lists guilds and generates keys', () => {
    assert.ok(existsSync(join(prefix, 'bin/votary')));
    assert.deepEqual(command('guild', 'add', GUILD), { guild_id: GUILD, name: GUILD });
    assert.match(String(Object(command('key', 'generate', GUILD)).key), /^vty_/);
  });

  it('serves the contract, the pages and the guides', async () => {
    const { key } = Object(command('key', 'show', GUILD));
    served = spawn(process.execPath, [votary, 'serve', '--demo', '--json'], { env, cwd: folder });
    assert.ok(served.stdout);
    const [line] = await once(served.stdout, 'data');
    const { url } = JSON.parse(String(line));
    const check = await get(`${url}/v7/vote-check?discord_id=200000000000000001`, key);
    assert.equal(check.status, 200);
    assert.deepEqual(Object(JSON.parse(check.body)).has_voted, false);
    assert.equal((await get(`${url}/v7/vote-check?discord_id=1`)).status, 401);
    for (const path of [
      '/',
      `/guild/${GUILD}/vote`,
      '/docs',
      '/docs/files/scalar.js',
      '/docs/guides/curl',
      `/guild/${GUILD}/card.png`,
      '/v7/openapi.json',
      '/readyz',
    ])
      assert.equal((await get(url + path)).status, 200, path);
    await checkDownloads(url);
    installSdk(url);
    installWheel();
    const exit = once(served, 'exit');
    served.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    const kept = readdirSync(join(prefix, 'lib/node_modules/@votary/server/.cache'), { recursive: true });
    assert.equal(kept.filter((file) => /votary\.cjs-[0-9a-f]+\.code$/.test(String(file))).length, 1);
  });

  it('serves with the code that the first start has stored', async () => {
    served = spawn(process.execPath, [votary, 'serve', '--demo', '--json'], { env, cwd: folder });
    assert.ok(served.stdout);
    const [line] = await once(served.stdout, 'data');
    const { url } = JSON.parse(String(line));
    for (const path of ['/', '/docs', '/docs/guides/curl', '/readyz'])
      assert.equal((await get(url + path)).status, 200, path);
    const exit = once(served, 'exit');
    served.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  /** Installs the SDK in an empty project, as a reader of /docs/clients does. */
  function installSdk(url: string): void {
    const project = join(folder, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    // A certificate authority in the settings of npm would replace one in the environment.
    const trust = ['--cafile', join(folder, 'data/tls/cert.pem')];
    const options = ['--no-audit', '--no-fund', '--loglevel=error', ...trust];
    run('npm', ['install', ...options, `${url}/docs/files/votary-sdk.tgz`], { cwd: project });
    const program = "import { Votary } from '@votary/sdk'; console.log(typeof Votary)";
    const printed = run(process.execPath, ['--input-type=module', '-e', program], { cwd: project });
    assert.equal(printed, 'function\n');
    assert.ok(existsSync(join(project, 'node_modules/@votary/sdk/dist/index.d.ts')));
  }

  async function checkDownloads(url: string): Promise<void> {
    const sums = await get(`${url}/docs/files/SHA256SUMS`);
    const names = [...sums.body.matchAll(/^[0-9a-f]{64} {2}(.+)$/gm)].map(([, name]) => name);
    const jar = requirement('java') ? [] : ['votary-minecraft.jar'];
    assert.deepEqual(
      names.toSorted(),
      ['Votary.php', WHEEL, ...jar, 'votary-sdk.tgz', 'votary.py'].toSorted(),
    );
    const options = ['--silent', '--fail', '--insecure', '--remote-name-all'];
    const downloads = join(folder, 'downloads');
    mkdirSync(downloads);
    run('curl', [...options, ...[...names, 'SHA256SUMS'].map((name) => `${url}/docs/files/${name}`)], {
      cwd: downloads,
    });
    run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: downloads });
  }

  /** As `pip install <url>`; pip is not part of every Python, and a wheel is imported as it is. */
  function installWheel(): void {
    if (requirement('python')) return;
    const wheel = join(folder, 'downloads', WHEEL);
    const program = `import sys; sys.path.insert(0, sys.argv[1]); import votary; print(votary.__version__)`;
    assert.equal(run('python3', ['-c', program, wheel], { cwd: folder }), `${VERSION}\n`);
    const pip = spawnSync('python3', ['-m', 'pip', '--version']);
    if (pip.status !== 0) return;
    const target = join(folder, 'site-packages');
    const options = ['--quiet', '--disable-pip-version-check', '--no-index', '--target', target];
    run('python3', ['-m', 'pip', 'install', ...options, wheel], { cwd: folder });
    assert.ok(existsSync(join(target, `votary-${VERSION}.dist-info/METADATA`)));
  }

  const oldNode = ownNode(process.env.PATH ?? '');
  const version = oldNode
    ? spawnSync(oldNode, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout
    : '';
  const skip = !(Number.parseInt(version, 10) < 24) && 'no Node older than 24 on this machine';

  it('says in one line that Node is too old', { skip }, () => {
    const { status, stderr } = spawnSync(oldNode ?? '', [votary, 'guild', 'list'], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.equal(
      stderr,
      `votary: Votary needs Node 24 or newer and this is ${version.trim()}: install a newer Node\n`,
    );
  });
});

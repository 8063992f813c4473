/** A running service whose files are replaced, as `npm install --global` does in an upgrade. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { addReference, build } from '../../scripts/build.ts';
import { GUIDES } from '../../src/api/openapi/introduction.ts';
import { ACCESS_TABLE } from '../security/access/access-table.ts';
import type { Row } from '../security/access/cells.ts';
import type { Community } from '../security/fixture.ts';
import { DEMO_GUILD, enterDemo } from '../security/secrets/use-everything.ts';
import { type HttpsVisitor, newHttpsVisitor, tokenIn } from '../support/https-visitor.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The package and its dependencies, in a folder that can be deleted. */
async function installCopy(folder: string): Promise<void> {
  await build(ROOT, join(folder, 'dist'));
  addReference(join(ROOT, 'node_modules'), join(folder, 'dist'));
  for (const part of ['bin', 'docs/guides', 'package.json'])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
  const installed = JSON.parse(await readFile(join(ROOT, 'node_modules/.package-lock.json'), 'utf8'));
  const packages = Object.keys(installed.packages).filter((path) => !lock.packages[path]?.dev);
  // A package inside another one is copied with it.
  for (const path of packages.filter((name) => name.split('node_modules/').length === 2)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
}

async function makeFolder(t: TestContext): Promise<string> {
  // Not inside this clone, in whose folder the deleted packages would be found again.
  const folder = await mkdtemp(join(tmpdir(), 'votary-upgrade-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const COMMUNITY: Community = {
  ...{ guildId: DEMO_GUILD, otherGuildId: DEMO_GUILD, keys: {} },
  ...{ endpointId: 'x', endpointSecret: '', keyVersion: '', endpointVersion: '', votedAt: 0 },
};

/** The path of a row, for the guild of the demo. */
function pathOf({ route, path }: Row, key: string): string {
  const [, plain = ''] = route.split(' ');
  return (typeof path === 'function' ? path(COMMUNITY) : (path ?? plain))
    .replace(/:guild_?[iI]d/, DEMO_GUILD)
    .replace(':key', key)
    .replace(/:\w+/g, 'x');
}

/** All rows except callbacks of Discord, which need a sign-in at Discord, and a stream that lasts for a minute. */
const ROWS = ACCESS_TABLE.filter(({ route, begunIn }) => !begunIn && !route.endsWith('/live'));

async function signedIn(url: string): Promise<HttpsVisitor> {
  const visitor = newHttpsVisitor(url);
  await enterDemo(visitor);
  return visitor;
}

test('a service whose files are deleted still answers every request', { timeout: 120_000 }, async (t) => {
  const folder = await makeFolder(t);
  const app = join(folder, 'app');
  await installCopy(app);
  const env = {
    VOTARY_DATA_DIR: join(folder, 'data'),
    ...{ VOTARY_PORT: '0', VOTARY_LOG_LEVEL: 'debug', VOTARY_SITE_ACCENT: '#0b6b45' },
  };
  const child = spawn(process.execPath, [join(app, 'bin/votary.js'), 'serve', '--demo', '--json'], { env });
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
  }
  const exit = once(child, 'exit');
  while (!printed.includes('"demo":')) {
    const ended = exit.then(() => assert.fail(printed));
    await Promise.race([once(child.stdout, 'data'), ended]);
  }
  const [, url = ''] = /"url":"([^"]+)"/.exec(printed) ?? [];
  const { demo } = JSON.parse(printed.split('\n').find((line) => line.includes('"demo":')) ?? '');
  await rename(app, `${app}-old`);
  await rm(`${app}-old`, { recursive: true });

  const failed: string[] = [];
  const headers = { authorization: `Bearer ${demo.key}` };
  const guides = Object.keys(GUIDES).flatMap((name) => [
    `/docs/guides/${name}`,
    `/docs/guides/${name}?locale=fr`,
  ]);
  const files = ['/docs/files/scalar.js', '/docs/files/reference.js'];
  let visitor = await signedIn(url);
  for (const row of ROWS) {
    const [method = ''] = row.route.split(' ');
    const path = pathOf(row, demo.key);
    const fields = { ...row.form?.(COMMUNITY), _csrf: tokenIn(await visitor.get('/')) };
    const { status } =
      method === 'POST'
        ? await visitor.post(path, fields, headers)
        : await visitor.send(method, path, headers);
    if (status >= 500) failed.push(`${method} ${path}: ${status}`);
    if (row.becomes === undefined) continue;
    visitor.close();
    visitor = await signedIn(url);
  }
  for (const path of [...guides, ...files]) {
    const { status } = await visitor.get(path);
    if (status !== 200) failed.push(`${path}: ${status}`);
  }
  assert.deepEqual(failed, []);
  const card = await visitor.get(`/guild/${DEMO_GUILD}/card.png?locale=fr`);
  assert.deepEqual([card.status, card.headers['content-type']], [200, 'image/png']);
  assert.doesNotMatch(printed, /"level":"error"|without its icon/);
  visitor.close();
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});

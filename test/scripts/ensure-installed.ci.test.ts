import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';

const SCRIPT = join(import.meta.dirname, '../../scripts/ensure-installed.js');
const FASTIFY = { version: '5.0.0', resolved: 'https://registry.example/fastify.tgz', integrity: 'sha512-a' };
const OTHER_PLATFORM = { version: '1.0.0', integrity: 'sha512-b', optional: true };
const LOCK = {
  packages: {
    '': { name: 'votary', version: '0.1.0' },
    'node_modules/fastify': FASTIFY,
    'node_modules/resvg-win32': OTHER_PLATFORM,
  },
};
/** npm lists neither the project itself nor packages for other platforms. */
const INSTALLED = { packages: { 'node_modules/fastify': FASTIFY } };

/** A project whose `npm` only records that it was called. */
function makeProject(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'votary-ensure-'));
  t.after(() => rmSync(root, { recursive: true }));
  const write = (name: string, content: object) => writeFileSync(join(root, name), JSON.stringify(content));
  mkdirSync(join(root, 'bin'));
  const npm = '#!/bin/sh\nprintf "%s " "$@" >>"$(dirname "$0")/../npm-calls"\necho output of npm\n';
  writeFileSync(join(root, 'bin/npm'), npm, { mode: 0o755 });
  const run = () => {
    const env = { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env.PATH}` };
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr, isInstalling: existsSync(join(root, 'npm-calls')) };
  };
  write('package-lock.json', LOCK);
  return { root, write, run };
}

function makeInstalled(t: TestContext) {
  const project = makeProject(t);
  mkdirSync(join(project.root, 'node_modules'));
  project.write('node_modules/.package-lock.json', INSTALLED);
  return project;
}

test('a clone without node_modules is installed, with all output on stderr', (t) => {
  const { status, stdout, stderr, isInstalling } = makeProject(t).run();
  assert.deepEqual([status, stdout, isInstalling], [0, '', true]);
  assert.match(stderr, /Installing dependencies[\s\S]*output of npm/);
});

test('nothing is installed again when only the time of the lock file changed', (t) => {
  const { root, run } = makeInstalled(t);
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(join(root, 'package-lock.json'), later, later);
  assert.deepEqual(run(), { status: 0, stdout: '', stderr: '', isInstalling: false });
});

test('nothing is installed again when the lock file names another address of a package', (t) => {
  const { write, run } = makeInstalled(t);
  const { resolved, ...fastify } = FASTIFY;
  assert.ok(resolved);
  write('node_modules/.package-lock.json', { packages: { 'node_modules/fastify': fastify } });
  assert.equal(run().isInstalling, false);
});

test('another version of the project alone needs no installation', (t) => {
  const { write, run } = makeInstalled(t);
  write('package-lock.json', { packages: { ...LOCK.packages, '': { name: 'votary', version: '0.2.0' } } });
  assert.equal(run().isInstalling, false);
});

test('a changed or added package is installed, even if the lock file is older', (t) => {
  for (const packages of [
    { 'node_modules/fastify': { ...FASTIFY, version: '5.0.1' } },
    { 'node_modules/fastify': { ...FASTIFY, integrity: 'sha512-c' } },
    { 'node_modules/fastify': FASTIFY, 'node_modules/pino': FASTIFY },
  ]) {
    const { root, write, run } = makeInstalled(t);
    write('package-lock.json', { packages });
    utimesSync(join(root, 'package-lock.json'), new Date(0), new Date(0));
    assert.equal(run().isInstalling, true, JSON.stringify(packages));
  }
});

test('a package that is no longer listed needs no installation', (t) => {
  const { write, run } = makeInstalled(t);
  const extra = {
    'node_modules/@fastify/sensible': FASTIFY,
    'node_modules/fastify2': FASTIFY,
    'node_modules/pino': FASTIFY,
    'node_modules/pino/node_modules/sonic-boom': FASTIFY,
  };
  write('node_modules/.package-lock.json', { packages: { ...INSTALLED.packages, ...extra } });
  assert.equal(run().isInstalling, false);
});

test('a package that is no longer listed inside a listed one is removed by an installation', (t) => {
  const { write, run } = makeInstalled(t);
  const hidden = { 'node_modules/fastify/node_modules/pino': FASTIFY };
  write('node_modules/.package-lock.json', { packages: { ...INSTALLED.packages, ...hidden } });
  assert.equal(run().isInstalling, true);
});

test('an installation that was interrupted is repeated', (t) => {
  const { root, run } = makeInstalled(t);
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{"packages":');
  assert.equal(run().isInstalling, true);
});

test('nothing is installed through a link, which would empty the folder of another checkout', (t) => {
  const [other, linked] = [makeInstalled(t), makeProject(t)];
  symlinkSync(join(other.root, 'node_modules'), join(linked.root, 'node_modules'));
  assert.deepEqual([linked.run().status, linked.run().isInstalling], [0, false]);
  linked.write('package-lock.json', { packages: { 'node_modules/pino': FASTIFY } });
  const { status, stderr, isInstalling } = linked.run();
  assert.deepEqual([status, isInstalling], [1, false]);
  assert.match(stderr, /node_modules is a link/);
  assert.deepEqual(readdirSync(join(other.root, 'node_modules')), ['.package-lock.json']);
});

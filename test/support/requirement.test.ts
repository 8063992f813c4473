import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { requirement, skippedForMissingPrograms } from './requirement.ts';

const NOTHING = { PATH: '' };

test('a test is skipped, and says what to install, when its program is missing', () => {
  assert.equal(requirement('nginx', NOTHING), 'nginx is missing: install nginx');
});

test('a test runs when its program is on the PATH', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-path-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'javac'), '');
  assert.equal(requirement('java', { PATH: folder }), false);
});

test('a browser named by CHROMIUM_PATH is never skipped', () => {
  assert.equal(requirement('browser', { ...NOTHING, CHROMIUM_PATH: '/opt/chromium' }), false);
});

test('a required program that is missing fails the run', () => {
  const env = { ...NOTHING, VOTARY_TEST_REQUIRE: 'java,nginx' };
  assert.throws(() => requirement('nginx', env), /VOTARY_TEST_REQUIRE names nginx: install nginx/);
  assert.throws(() => skippedForMissingPrograms(undefined, env), /names nginx/);
  assert.equal(typeof requirement('python', env), 'string');
});

test('everything that is missing is listed for the end of the run', () => {
  const skipped = skippedForMissingPrograms(undefined, NOTHING);
  assert.ok(skipped.includes('nginx tests (install nginx)'));
  assert.ok(skipped.includes('python tests (install Python 3)'));
});

test('only the programs of the tests that ran are listed', () => {
  const skipped = skippedForMissingPrograms(['nginx'], NOTHING);
  assert.deepEqual(skipped, ['nginx tests (install nginx)']);
});

test('a misspelt name in VOTARY_TEST_REQUIRE fails the run', () => {
  const env = { ...NOTHING, VOTARY_TEST_REQUIRE: 'brower' };
  assert.throws(() => skippedForMissingPrograms(undefined, env), /unknown program: brower/);
});

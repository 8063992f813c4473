/** The suffix of a test file says when it runs: see scripts/run-tests.ts. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const NAME = /\/[a-z\d-]+(?:\.(?:integration|ci))?\.test\.ts$/;
const OPTIONAL_PROGRAM = /\brequirement\('(?!browser')/;
/** They mention such a program, and do not need it. */
const EXCEPTIONS = ['test/support/requirement.test.ts', 'test/guards/test-tiers.test.ts'];

const files = globSync('test/**/*.test.ts', { cwd: ROOT });

test('every test file belongs to one of the three tiers', () => {
  assert.ok(files.length > 200);
  assert.deepEqual(
    files.filter((file) => !NAME.test(file)),
    [],
  );
  for (const wrong of ['test/a.intergration.test.ts', 'test/a.ci.integration.test.ts'])
    assert.doesNotMatch(wrong, NAME);
});

test('only tests of the CI tier need a program other than a browser', () => {
  const broken = files
    .filter((file) => !file.endsWith('.ci.test.ts') && !EXCEPTIONS.includes(file))
    .filter((file) => OPTIONAL_PROGRAM.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(broken, []);
  assert.match("{ skip: requirement('nginx') }", OPTIONAL_PROGRAM);
});

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SRC = join(import.meta.dirname, '../../src');

test('the log of operators is written in one place, before the change', () => {
  const paths = globSync('**/*.ts', { cwd: SRC }).filter((path) => !path.startsWith('store/'));
  const writers = paths.filter((path) => /\baudit\.record\b/.test(readFileSync(join(SRC, path), 'utf8')));
  assert.deepEqual(writers, ['moderation/moderator.ts']);
});

/** Where texts in both languages are, and in which form. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const SRC = join(import.meta.dirname, '../../src');

const CATALOGUE = /^(?:export )?const \w+: Record<Locale, /m;
const UNTYPED_FRENCH = /^(?:export )?const fr = /m;

/** Files that declare texts by language, although their name does not say so. */
function misplaced(files: readonly (readonly [path: string, source: string])[]): string[] {
  return files
    .filter(([path, source]) => !path.endsWith('messages.ts') && CATALOGUE.test(source))
    .map(([path]) => path);
}

test('texts in both languages are in files named messages', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).map(
    (path) => [path, readFileSync(join(SRC, path), 'utf8')] as const,
  );
  assert.ok(files.filter(([path]) => path.endsWith('messages.ts')).length > 20);
  assert.deepEqual(misplaced(files), []);
});

test('French texts have the type of the English ones, so a missing one does not compile', () => {
  for (const path of globSync('**/{*messages,fr}.ts', { cwd: SRC })) {
    assert.doesNotMatch(readFileSync(join(SRC, path), 'utf8'), UNTYPED_FRENCH, path);
  }
});

test('a catalogue in a view is found', () => {
  const source = "const texts: Record<Locale, string> = { en: 'Vote', fr: 'Voter' };";
  assert.deepEqual(misplaced([['site/view.ts', source]]), ['site/view.ts']);
  assert.deepEqual(misplaced([['site/messages.ts', source]]), []);
});

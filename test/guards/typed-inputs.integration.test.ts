import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSources } from './syntax.ts';

test('every input of a page names its type, because style sheets select by it', () => {
  const untyped = readSources().flatMap(({ path, text }) =>
    [...text.matchAll(/<input (?![^>]*type=)[^>]*>/g)].map(([input]) => `${path}: ${input}`),
  );
  assert.deepEqual(untyped, []);
});

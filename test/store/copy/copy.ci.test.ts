import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assertEqual,
  copy,
  create,
  createFilled,
  createMigrated,
  failAfter,
  indexesOf,
  PAIRS,
  testCopy,
} from './fixture.ts';

describe('a copy to the same kind of database', () => {
  for (const [from, to] of PAIRS.slice(2)) {
    it(`from ${from} to ${to} has every row, index and constraint, and leaves the source as it was`, () =>
      testCopy(from, to));
  }
});

describe('an interrupted copy', () => {
  for (const [from, to] of PAIRS.slice(0, 2)) {
    it(`from ${from} to ${to} is refused when the source has changed, and begun again`, async () => {
      const [source, target] = [await createFilled(from), await create(to)];
      await assert.rejects(copy(source, target, { onProgress: failAfter(200) }), /--resume/);
      await source.run("UPDATE guilds SET name = 'Changed'");
      await assert.rejects(copy(source, target, { mode: 'resume' }), /table guilds .* differs.*--start-over/);
      await copy(source, target, { mode: 'start-over' });
      await assertEqual(source, target);
    });
  }

  it('continues when it stopped while indexes were created', async () => {
    for (const [from, to] of PAIRS.slice(0, 2)) {
      const [source, target, empty] = [await createFilled(from), await create(to), await createMigrated(to)];
      let isRebuilding = false;
      const stopInRebuild = {
        onStart: (step: string) => {
          isRebuilding = step === 'rebuild';
        },
        onProgress: () => {
          if (isRebuilding) throw new Error('stopped');
        },
      };
      await assert.rejects(copy(source, target, stopInRebuild), /stopped.*--resume/);
      await copy(source, target, { mode: 'resume' });
      assert.deepEqual(await indexesOf(target), await indexesOf(empty));
      await assertEqual(source, target);
    }
  });
});

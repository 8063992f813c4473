import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CopyStep } from '../../../src/store/maintenance/copy.ts';
import { openStore } from '../../../src/store/open.ts';
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

describe('a source that is written while it is copied', { concurrency: 2 }, () => {
  for (const [from, to] of PAIRS.slice(0, 2)) {
    it(`fails from ${from} to ${to}; a live copy says which tables are older`, async () => {
      const [source, target, other] = [await createFilled(from), await create(to), await create(to)];
      // When all rows were read.
      const rename = (name: string) => async (step: CopyStep) => {
        if (step === 'compare') await source.run(`UPDATE guilds SET name = '${name}'`);
      };
      await assert.rejects(
        copy(source, target, { onStart: rename('Late') }),
        /source was written during the copy \(guilds\).*--start-over/,
      );
      await assert.rejects(openStore(target.database), /unfinished copy/);
      const live = await copy(source, other, { isLive: true, onStart: rename('Later') });
      assert.deepEqual(live.changed, ['guilds']);
    });
  }
});

describe('a wrong target', { concurrency: 2 }, () => {
  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`of ${kind} is refused: with rows, with another schema, or the source itself`, async () => {
      const source = await createFilled(kind, 1);
      await assert.rejects(copy(source, source), /same database/);
      const used = await createFilled(kind, 1);
      await assert.rejects(copy(source, used), /not empty: its table \w+ has rows/);
      await openStore(used.database).then((store) => store.close());
      const newer = await createMigrated(kind);
      await newer.run(
        "INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible) VALUES (900, '0900-later', 1, 1)",
      );
      await assert.rejects(copy(source, newer), /another schema version/);
      for (const mode of ['resume', 'start-over'] as const)
        await assert.rejects(copy(source, await create(kind), { mode }), /no unfinished copy/);
    });

    it(`of ${kind}: the source must have the current schema`, async () => {
      const source = await createFilled(kind, 1);
      await source.run('DELETE FROM schema_migrations WHERE version = 2');
      await assert.rejects(copy(source, await create('sqlite')), /older schema: run votary migrate/);
    });
  }
});

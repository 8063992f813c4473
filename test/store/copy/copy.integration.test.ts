import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchTables, NOT_COPIED } from '../../../src/store/maintenance/copy.ts';
import { openStore } from '../../../src/store/open.ts';
import { contentOf, tablesOf } from '../../support/content.ts';
import {
  assertEqual,
  copy,
  create,
  createFilled,
  createMigrated,
  failAfter,
  PAIRS,
  testCopy,
} from './fixture.ts';

describe('a copy', { concurrency: 2 }, () => {
  for (const [from, to] of PAIRS.slice(0, 2)) {
    it(`from ${from} to ${to} has every row, index and constraint, and leaves the source as it was`, () =>
      testCopy(from, to));
  }

  it('names every table that it leaves out, on each database', async () => {
    const names = new Set<string>();
    for (const kind of ['sqlite', 'postgres'] as const) {
      const fresh = await createMigrated(kind);
      for (const name of await tablesOf(fresh)) names.add(name);
    }
    const [source, target] = [await createFilled('sqlite', 0), await create('postgres')];
    const copied = (await copy(source, target)).tables.map(({ name }) => name);
    const { unfinished_copy: _, ...left } = NOT_COPIED;
    assert.deepEqual([...copied, ...Object.keys(left)].sort(), [...names].sort());
  });

  it('continues the numbers of log entries', async () => {
    const [source, target] = [await createFilled('sqlite'), await create('postgres')];
    await copy(source, target);
    await target.run(
      "INSERT INTO activities (guild_id, at, action, first_at) VALUES ('100000000000000001', 1, 'renamed', 1)",
    );
    const [row] = await target.query(
      'SELECT count(DISTINCT activity_id) AS ids, count(*) AS rows FROM activities',
    );
    assert.deepEqual(row?.ids, row?.rows);
  });
});

describe('matchTables', () => {
  const table = { name: 'votes', key: ['id'], columns: [{ name: 'id', kind: 'number' as const }] };

  it('refuses tables that only one database has, or that differ', () => {
    assert.deepEqual(matchTables([table], [table]), [table]);
    const other = { ...table, columns: [{ name: 'id', kind: 'text' as const }] };
    for (const [source, target] of [
      [[table], []],
      [[], [table]],
      [[table], [other]],
      [[{ ...table, key: [] }], [table]],
    ])
      assert.throws(() => matchTables(source ?? [], target ?? []), /votes/);
  });
});

describe('an interrupted copy', { concurrency: 2 }, () => {
  for (const [from, to] of PAIRS.slice(0, 2)) {
    it(`from ${from} to ${to} cannot be used, and is continued or begun again`, async () => {
      const [source, target] = [await createFilled(from), await create(to)];
      const before = await contentOf(source);
      await assert.rejects(copy(source, target, { onProgress: failAfter(200) }), /--resume/);
      const stored = Number((await target.query('SELECT count(*) AS rows FROM votes'))[0]?.rows);
      assert.ok(stored > 0 && stored < 300, `${stored} rows are stored`);
      await assert.rejects(openStore(target.database), /unfinished copy.*--resume/);
      await assert.rejects(copy(source, target), /unfinished copy.*--resume.*--start-over/);
      await copy(source, target, { mode: 'resume' });
      await assertEqual(source, target);
      await assert.rejects(copy(source, target, { mode: 'resume' }), /no unfinished copy/);
      assert.deepEqual(await contentOf(source), before);
    });
  }
});

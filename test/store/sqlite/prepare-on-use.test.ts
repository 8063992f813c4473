import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { prepareOnUse } from '../../../src/store/sqlite/prepare-on-use.ts';

test('a statement is prepared once, when it is first used', (t) => {
  const db = new Database(':memory:');
  const { mock } = t.mock.method(db, 'prepare');
  const lazy = prepareOnUse(db);
  const count = lazy.prepare<[], { rows: number }>('SELECT count(*) AS rows FROM votes');
  const insert = lazy.prepare<[string]>('INSERT INTO votes VALUES (?)');
  assert.equal(mock.callCount(), 0);
  lazy.exec('CREATE TABLE votes (name TEXT)');
  const addBoth = lazy.transaction(() => ['a', 'b'].map((name) => insert.run(name).changes));
  assert.deepEqual(addBoth.immediate(), [1, 1]);
  assert.deepEqual(
    [count.get(), count.all(), [...count.iterate()]],
    [{ rows: 2 }, [{ rows: 2 }], [{ rows: 2 }]],
  );
  assert.equal(mock.callCount(), 2);
  assert.deepEqual([count.reader, insert.reader, lazy.inTransaction], [true, false, false]);
  assert.equal(lazy.prepare<[], number>('SELECT 1').pluck().get(), 1);
  lazy.close();
  assert.equal(db.open, false);
});

test('a wrong statement fails when it is used', () => {
  const lazy = prepareOnUse(new Database(':memory:'));
  const wrong = lazy.prepare('SELECT 1 FROM missing');
  assert.throws(() => wrong.get(), /no such table: missing/);
});

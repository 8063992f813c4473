import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Sqlite from 'better-sqlite3';
import { Connections } from '../../../src/store/sqlite/connection.ts';
import { createDatabase } from '../../../src/store/sqlite/database.ts';
import { StoreUnavailableError } from '../../../src/store/store.ts';

describe('statements that are written once, on SQLite', () => {
  let folder: string;
  let connections: Connections;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'votary-database-'));
    connections = new Connections(join(folder, 'votary.db'));
    connections.writer.exec('CREATE TABLE items (name TEXT PRIMARY KEY, is_new INTEGER) STRICT');
  });
  after(async () => {
    await connections.close();
    await rm(folder, { recursive: true });
  });

  test('booleans and lists are stored and compared', async () => {
    const { read, write, dialect } = createDatabase(connections);
    assert.equal(await write('INSERT INTO items VALUES (@name, @isNew)')({ name: 'one', isNew: true }), 1);
    const find = read(`SELECT name, is_new FROM items WHERE name ${dialect.inList('@names')}`);
    assert.deepEqual(await find({ names: ['one', 'two'] }), [{ name: 'one', is_new: 1 }]);
  });

  test('a wrong statement fails when it is used', async () => {
    const read = createDatabase(connections).read('SELECT missing FROM items');
    await assert.rejects(read(), /no such column/);
  });

  test('a parameter without a value is an error', async () => {
    const find = createDatabase(connections).read('SELECT name FROM items WHERE name = @name');
    await assert.rejects(find({}), /the parameter @name has no value/);
  });

  test('a read that fails because of the disk is reported as unavailable', async () => {
    connections.reader.function('fail', () => {
      throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
    });
    await assert.rejects(
      createDatabase(connections).read('SELECT fail() AS failed')(),
      StoreUnavailableError,
    );
  });

  test('a transaction ends with the statement that changes nothing, and keeps nothing if one fails', async () => {
    const { read, transaction } = createDatabase(connections);
    const insert = 'INSERT INTO items VALUES (@name, 0)';
    const remove = "DELETE FROM items WHERE name = 'unknown'";
    assert.deepEqual(await transaction(insert, remove, insert)({ name: 'kept' }), [1, 0]);
    await assert.rejects(transaction(insert, insert)({ name: 'rolled back' }), /UNIQUE/);
    const names = await read<{ name: string }>('SELECT name FROM items ORDER BY name')();
    assert.deepEqual(
      names.map(({ name }) => name),
      ['kept', 'one'],
    );
  });
});

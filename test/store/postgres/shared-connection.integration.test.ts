import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { useFreshDatabase } from './fresh-database.ts';

const PROCESS = { text: 'SELECT pg_backend_pid()' };

describe('statements that share a connection', () => {
  const fresh = useFreshDatabase();

  const countOf = (connections: Connections) => {
    const { pool } = connections.load();
    return pool && { used: pool.used, idle: pool.idle };
  };

  test('run one after the other, and the connection belongs to the pool again', async () => {
    const connections = new Connections(fresh.url);
    const sent = [1, 2, 3].map(() => connections.queryArrays(PROCESS));
    const [first, ...others] = await Promise.all(sent);
    assert.equal(first?.length, 1);
    for (const rows of others) assert.deepEqual(rows, first);
    assert.deepEqual(countOf(connections), { used: 0, idle: 1 });
    await connections.close();
  });

  test('do not wait for slow ones after leaveShared', async () => {
    const connections = new Connections(fresh.url);
    const lock = 'SELECT pg_advisory_lock(12345)';
    const held = await fresh.connections.transaction(async (inside) => {
      await inside.query({ text: 'SELECT pg_advisory_xact_lock(12345)' });
      const slow = connections.queryArrays({ text: lock });
      const behind = connections.queryArrays(PROCESS);
      connections.leaveShared();
      assert.equal((await connections.queryArrays(PROCESS)).length, 1);
      return { slow, behind };
    });
    await Promise.all([held.slow, held.behind]);
    assert.deepEqual(countOf(connections), { used: 0, idle: 2 });
    await connections.close();
  });

  test('fail alone, and the next ones get another connection at once', async () => {
    const connections = new Connections(fresh.url);
    const { behind } = await fresh.connections.transaction(async (inside) => {
      await inside.query({ text: 'SELECT pg_advisory_xact_lock(12345)' });
      const bad = connections.queryArrays({ text: 'SELECT 1 / 0' });
      const behind = connections.queryArrays({ text: 'SELECT pg_advisory_lock(12345), pg_backend_pid()' });
      await assert.rejects(bad, /division by zero/);
      // The one behind still waits for the lock.
      assert.equal((await connections.queryArrays(PROCESS)).length, 1);
      return { behind };
    });
    const [row] = await behind;
    const [other] = await connections.queryArrays(PROCESS);
    assert.notEqual(row?.[1], other?.[0]);
    assert.deepEqual(countOf(connections), { used: 0, idle: 1 });
    await connections.close();
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openClient } from '../../../src/store/postgres/connection/client.ts';
import {
  Connections,
  type ConnectionsOptions,
  type Queryable,
} from '../../../src/store/postgres/connection/connection.ts';
import { StoreUnavailableError } from '../../../src/store/store.ts';
import { startPgBouncer } from '../../support/postgres/pgbouncer.ts';
import { createTestDatabase, runOn, type TestDatabase } from '../../support/postgres/postgres.ts';
import { requirement } from '../../support/requirement.ts';

describe('the time limit of a statement', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
    await runOn(database.url, 'CREATE TABLE notes (note TEXT)');
  });
  after(() => database.drop());

  async function withConnections<T>(
    options: ConnectionsOptions,
    work: (connections: Connections) => Promise<T>,
    url = database.url,
  ): Promise<T> {
    const connections = new Connections(url, options);
    try {
      await connections.open();
      return await work(connections);
    } finally {
      await connections.close();
    }
  }

  async function limitOf(on: Queryable): Promise<string | undefined> {
    const { rows } = await on.query<{ statement_timeout: string }>({ text: 'SHOW statement_timeout' });
    return rows[0]?.statement_timeout;
  }

  test('is enforced by the server before the client gives up, so nothing changes after a failure', async () => {
    // Far below the time that the statement takes, so that only the server can have ended it.
    const text = "WITH slow AS (SELECT pg_sleep(600)) INSERT INTO notes SELECT 'late' FROM slow";
    await withConnections({ timeLimitMs: 2000 }, async (connections) => {
      assert.equal(await limitOf(connections), '1800ms');
      await assert.rejects(connections.query({ text }), (error) => {
        assert.ok(error instanceof StoreUnavailableError);
        assert.match(error.message, /canceling statement due to statement timeout/);
        return true;
      });
    });
    const running = await runOn(
      database.url,
      "SELECT FROM pg_stat_activity WHERE query LIKE 'WITH slow%' AND state = 'active'",
    );
    assert.deepEqual([running, await runOn(database.url, 'SELECT FROM notes')], [[], []]);
  });

  test('is nine seconds for a service, and does not exist for commands, even if the database has one', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await runOn(database.url, `ALTER DATABASE "${name}" SET statement_timeout = '5s'`);
    assert.equal(await withConnections({}, limitOf), '9s');
    assert.equal(await withConnections({ timeLimitMs: null }, limitOf), '0');
    const client = await openClient(database.url);
    assert.equal(await limitOf(client), '0');
    await client.end();
    await runOn(database.url, `ALTER DATABASE "${name}" RESET statement_timeout`);
  });

  test('applies to transactions through PgBouncer, and to no other client of it', {
    skip: requirement('pgbouncer'),
  }, async (t) => {
    const pooler = await startPgBouncer(database.url, 1);
    t.after(pooler.stop);
    await withConnections(
      {},
      async (connections) => {
        assert.equal(await connections.transaction(limitOf), '9s');
        // There is one session for all clients.
        assert.equal(await limitOf(connections), '0');
      },
      pooler.url,
    );
  });
});

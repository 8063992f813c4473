import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { type Store, StoreOpenError } from '../../../src/store/store.ts';
import { createTestDatabase, runOn } from '../../support/postgres/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/postgres-server.ts';
import { addGuild, NOW, USER, voteOf, votesOf } from '../fixtures.ts';

/** The address of the database with these servers as its hosts. */
function addressOf(url: string, ...servers: PostgresServer[]): string {
  const { host } = new URL(url);
  return url.replace(host, servers.map((server) => new URL(server.url).host).join(','));
}

describe('a PostgreSQL address with several hosts', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let url: string;
  before(async () => {
    primary = await startPostgresServer({ settings: { fsync: 'off', synchronous_commit: 'on' } });
    url = (await createTestDatabase(primary.url)).url;
    await (await openStore({ kind: 'postgres', url })).close();
    standby = await primary.startStandby();
  });
  after(() => Promise.all([primary.remove(), standby.remove()]));

  test('a standby alone is rejected in one line that says so', async () => {
    const alone = `${addressOf(url, standby)}?target_session_attrs=read-write`;
    await assert.rejects(openStore({ kind: 'postgres', url: alone }), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.message, /cannot be opened: it is read-only, like a standby\.$/);
      return true;
    });
  });

  test('if no host can be used, the reason is reported for each', async () => {
    const [, port] = new URL(standby.url).host.split(':');
    const nowhere = addressOf(url, standby).replace(`:${port}`, `:1,127.0.0.1:${port}`);
    await assert.rejects(openStore({ kind: 'postgres', url: nowhere }), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(
        error.message,
        /127\.0\.0\.1:1: there is no response\..* 127\.0\.0\.1:\d+: it is read-only/,
      );
      assert.doesNotMatch(error.message, /password|\n/);
      return true;
    });
  });

  test('the primary is found behind a standby, and after a failover the promoted standby, without a restart', async (t) => {
    // Votes that the standby has not received would be lost with the primary.
    await runOn(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await runOn(primary.url, 'SELECT pg_reload_conf()');
    const store: Store = await openStore({ kind: 'postgres', url: addressOf(url, standby, primary) });
    t.after(() => store.close());
    const guildId = await addGuild(store);
    const users = Array.from({ length: 20 }, (_, i) => String(BigInt(USER) + BigInt(i)));
    const cast = (userId: string) => store.votes.cast(voteOf(guildId, { userId }));
    for (const userId of users.slice(0, 10)) assert.equal((await cast(userId)).kind, 'accepted');

    await primary.kill();
    await assert.rejects(cast(USER));
    await assert.rejects(store.ping(), /no host can be used/);
    await runOn(standby.url, 'SELECT pg_promote()');
    await store.ping();
    for (const userId of users.slice(10)) assert.equal((await cast(userId)).kind, 'accepted');
    assert.deepEqual(
      (await votesOf(store, guildId)).map((vote) => vote.userId),
      users,
    );
    assert.equal((await store.rates.hit('anyone', { requests: 2, windowMs: 60_000 }, NOW)).hits, 1);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DatabaseUrl } from '../../../src/config.ts';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { openStore } from '../../../src/store/open.ts';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { PostgresRateStore } from '../../../src/store/postgres/rates.ts';
import { createCastGroups } from '../../../src/store/postgres/votes/cast.ts';
import { HOT_QUERIES } from '../../../src/store/postgres/votes/votes.ts';
import { StoreOpenError } from '../../../src/store/store.ts';
import { NO_EVIDENCE } from '../../../src/store/votes/votes.ts';
import { createMigratedDatabase, type TestDatabase } from '../../support/postgres/postgres.ts';
import { claimedAts, claimRequest, claimVote } from '../claim-fixtures.ts';
import { storeContract } from '../contract.ts';
import { addGuild, importAll, NOW, OTHER_USER, POSTGRES, USER, voteOf } from '../fixtures.ts';

storeContract('PostgreSQL', POSTGRES);

describe('a PostgreSQL database', () => {
  let fresh: TestDatabase;
  let database: DatabaseUrl;
  let connections: Connections;
  before(async () => {
    fresh = await createMigratedDatabase();
    database = { kind: 'postgres', url: fresh.url };
    connections = new Connections(fresh.url);
  });
  after(async () => {
    await connections.close();
    await fresh.drop();
  });

  async function assertRefused(change: (url: URL) => void, reason: RegExp): Promise<void> {
    const url = new URL(fresh.url);
    change(url);
    await assert.rejects(openStore({ kind: 'postgres', url: url.href }), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.message, reason);
      assert.doesNotMatch(error.message, /password of|password%20of|wrong secret|\n/);
      return true;
    });
  }

  test('that cannot be reached is reported in one line that names the host', async () => {
    await assertRefused((url) => {
      url.port = '1';
    }, /at 127\.0\.0\.1:1 cannot be opened: there is no response\. Start PostgreSQL/);
    await assertRefused((url) => {
      url.host = 'localhost:1';
    }, /at localhost:1 cannot be opened: there is no response/);
    await assertRefused((url) => {
      url.hostname = 'database.invalid';
    }, /the host name does not exist/);
  });

  test('that does not exist, or not for this user, is reported in one line without the password', async () => {
    await assertRefused((url) => {
      url.pathname = 'missing';
    }, /database missing at .* it does not exist\. Create it/);
    await assertRefused((url) => {
      url.password = 'wrong secret';
    }, /Correct the user or the password/);
  });

  test('is not queried again about a caller above its limit until the window ends', async () => {
    const limit = { requests: 1, windowMs: 1000 };
    const rates = new PostgresRateStore(connections);
    const hitsKept = async () => {
      const text = "SELECT hits FROM rate_windows WHERE caller = 'blocked'";
      return (await connections.query<{ hits: number }>({ text })).rows[0]?.hits;
    };
    for (let i = 0; i < 10; i += 1) await rates.hit('blocked', limit, NOW + i);
    assert.equal(await hitsKept(), 2);
    assert.deepEqual(await rates.hit('blocked', limit, NOW + 1000), { hits: 1, resetsAt: NOW + 2000 });
    assert.equal(await hitsKept(), 1);
  });

  test('drops expired windows from time to time', async () => {
    const limit = { requests: 5, windowMs: 1000 };
    const own = new Connections(fresh.url);
    const rates = new PostgresRateStore(own);
    await rates.hit('ended', limit, NOW);
    await rates.hit('alive', limit, NOW + 3_600_000);
    // Closing waits for the deletion that the last hit started.
    await own.close();
    const text = "SELECT caller FROM rate_windows WHERE caller IN ('ended', 'alive')";
    assert.deepEqual((await connections.query({ text })).rows, [{ caller: 'alive' }]);
  });

  test('is not ready while it does not accept writes, and is ready again when it does', async () => {
    const set = (value: string) =>
      connections.query({
        text: `ALTER DATABASE ${databaseName(fresh.url)} SET default_transaction_read_only = ${value}`,
      });
    await connections.ping();
    await set('on');
    const own = new Connections(fresh.url);
    await assert.rejects(own.ping(), /read-only/);
    await set('off');
    await own.ping();
    await own.close();
  });

  test('never shows a vote in the feed before those with smaller numbers', async () => {
    const store = await openStore(database);
    const guildId = await addGuild(store);
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = connections.transaction(async (inside) => {
      // Everything but the commit, which follows when this transaction is released.
      const uncommitted = { ...inside, commit: async () => {} };
      await createCastGroups()(uncommitted, [{ vote: voteOf(guildId), evidence: NO_EVIDENCE }]);
      held.resolve();
      return released.promise;
    });
    await held.promise;
    // With a number from a PostgreSQL sequence, this vote is visible first, and a reader who continues after it never
    // gets the other. It counts in another hour and month, so that nothing but the number makes it wait.
    const second = store.votes.cast(voteOf(guildId, { userId: OTHER_USER, castAt: NOW + 40 * DAY_MS }));
    try {
      await Promise.race([second, waitForLock()]);
      assert.deepEqual((await store.feed.read(guildId, 0, 0, 10)).votes, []);
    } finally {
      released.resolve();
    }
    await Promise.all([first, second]);
    const { votes: feed } = await store.feed.read(guildId, 0, 0, 10);
    assert.deepEqual(
      feed.map(({ userId }) => userId),
      [USER, OTHER_USER],
    );
    await store.close();
  });

  test('a locked guild delays its own votes and claims only, also those of the same tick', async () => {
    const store = await openStore(database);
    const [locked, other] = [await addGuild(store), await addGuild(store)];
    await importAll(store, voteOf(locked, { castAt: NOW - 5 }), voteOf(other, { castAt: NOW - 5 }));
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = connections.transaction(async (inside) => {
      await inside.query({ text: 'SELECT FROM guilds WHERE guild_id = $1 FOR UPDATE', values: [locked] });
      held.resolve();
      return released.promise;
    });
    await held.promise;
    const write = (guildId: string) =>
      [
        store.votes.cast(voteOf(guildId, { userId: OTHER_USER })),
        claimVote(store, guildId, { userId: USER }),
      ] as const;
    let isOver = false;
    const [blockedVote, blockedClaim] = write(locked);
    const blocked = Promise.all([blockedVote, blockedClaim]).finally(() => {
      isOver = true;
    });
    const [vote, claim] = await Promise.all(write(other));
    assert.deepEqual([vote.kind, claim.vote?.castAt, isOver], ['accepted', NOW - 5, false]);
    released.resolve();
    await holding;
    const [laterVote, laterClaim] = await blocked;
    assert.deepEqual([laterVote.kind, laterClaim.vote?.castAt], ['accepted', NOW - 5]);
    await store.close();
  });

  /** Until a connection of the database waits for another's transaction. */
  describe('and a process that stores its Idempotency-Key first, like those of earlier versions', () => {
    const identity = { userId: USER };
    const idempotency = { key: 'once', requestHash: 'same' };

    /** Claims while the other process uses the key, which returns the body `earlier`. */
    async function claimDuring(requestHash: string, keptSince: number | null) {
      const store = await openStore(database);
      const guildId = await addGuild(store);
      await store.votes.cast(voteOf(guildId));
      const addKey = `
        INSERT INTO idempotency_keys (guild_id, key, request_hash, body, created_at) VALUES ($1, 'once', $2, $3, $4)
        ON CONFLICT (guild_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, body = excluded.body, created_at = excluded.created_at`;
      if (keptSince !== null)
        await connections.query({ text: addKey, values: [guildId, 'same', 'expired', keptSince] });
      const other = await connections.transaction(async (inside) => {
        await inside.query({ text: addKey, values: [guildId, requestHash, 'earlier', NOW] });
        const claim = store.claims.claim(claimRequest(guildId, identity, { idempotency }));
        await Promise.race([claim, waitForLock()]);
        return { claim };
      });
      const result = await other.claim;
      const [claimedAt] = await claimedAts(store, guildId, [voteOf(guildId)]);
      await store.close();
      return { result, claimedAt };
    }

    for (const keptSince of [null, NOW - 2 * DAY_MS]) {
      const kind = keptSince === null ? 'a new' : 'an expired';
      test(`gets ${kind} key alone: a claim with the same key returns its response`, async () => {
        assert.deepEqual(await claimDuring('same', keptSince), {
          result: { kind: 'done', body: 'earlier', replayed: true, claimed: false },
          claimedAt: null,
        });
      });

      test(`gets ${kind} key alone: another claim with it is refused`, async () => {
        assert.deepEqual(await claimDuring('other', keptSince), {
          result: { kind: 'mismatch' },
          claimedAt: null,
        });
      });
    }
  });

  test('claims of different users with one Idempotency-Key in two processes: one claims, the other is refused', async () => {
    const stores = [await openStore(database), await openStore(database)] as const;
    const guildId = await addGuild(stores[0]);
    const users = [USER, OTHER_USER] as const;
    for (const userId of users) await stores[0].votes.cast(voteOf(guildId, { userId }));
    const results = await Promise.all(
      stores.map((store, i) => {
        const idempotency = { key: 'shared', requestHash: `user ${i}` };
        return store.claims.claim(claimRequest(guildId, { userId: users[i] ?? '' }, { idempotency }));
      }),
    );
    assert.deepEqual(results.map(({ kind }) => kind).toSorted(), ['done', 'mismatch']);
    const votes = users.map((userId) => voteOf(guildId, { userId }));
    const times = await claimedAts(stores[0], guildId, votes);
    assert.equal(times.filter((at) => at !== null).length, 1);
    for (const store of stores) await store.close();
  });

  async function waitForLock(): Promise<void> {
    const text =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while ((await connections.query({ text })).rows.length === 0);
  }

  test('uses the intended index for the queries of every request', async () => {
    const types = {
      latestOfUser: ['votes_by_user', 'text, text, bigint, bigint'],
      latestOfExternalId: ['votes_by_external_id', 'text, text, bigint, bigint, text'],
    } satisfies Record<keyof typeof HOT_QUERIES, [string, string]>;
    await connections.transaction(async (inside) => {
      // The table is empty, so a full scan would be cheap: only the choice of index is checked.
      await inside.query({ text: 'SET LOCAL enable_seqscan = off' });
      await inside.query({ text: 'SET LOCAL enable_bitmapscan = off' });
      await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
      const queries = new Map(Object.entries(HOT_QUERIES));
      for (const [name, [index, parameters]] of Object.entries(types)) {
        await inside.query({ text: `PREPARE plan_${name} (${parameters}) AS ${queries.get(name)}` });
        const values = parameters?.split(', ').map(() => "'1'");
        const { rows } = await inside.query({ text: `EXPLAIN EXECUTE plan_${name} (${values})` });
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        assert.match(plan, new RegExp(`using ${index} on votes`), name);
        // The index contains case-folded names, so the name itself is compared too.
        const isNamed = name === 'latestOfExternalId';
        assert.doesNotMatch(plan, isNamed ? /Sort|Filter: (?!\(external_id = )/ : /Sort|Filter/, name);
      }
    });
  });
});

function databaseName(url: string): string {
  return new URL(url).pathname.slice(1);
}

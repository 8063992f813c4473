import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { failIf } from '../../../src/store/postgres/connection/failures.ts';
import { PlainGroups } from '../../../src/store/postgres/plain-groups.ts';
import { castKeys, createCastGroups } from '../../../src/store/postgres/votes/cast.ts';
import { claimKeys, createClaimGroups } from '../../../src/store/postgres/votes/claim-votes.ts';
import { BY_KEY, WriteGroups } from '../../../src/store/postgres/write-groups.ts';
import { UnknownGuildError } from '../../../src/store/store.ts';
import { NO_EVIDENCE } from '../../../src/store/votes/votes.ts';
import { claimRequest, claimVote } from '../claim-fixtures.ts';
import { addGuild, NOW, OTHER_USER, USER, voteOf } from '../fixtures.ts';
import { useFreshDatabase } from './fresh-database.ts';

describe('a PostgreSQL database', () => {
  const fresh = useFreshDatabase();

  test('rolls back a failed transaction, and continues', async () => {
    await assert.rejects(
      fresh.connections.transaction(async (inside) => {
        await inside.query({
          text: "INSERT INTO guilds (guild_id, name, created_at) VALUES ('1', 'undone', 0)",
        });
        throw new Error('half-way');
      }),
      /half-way/,
    );
    const { rows } = await fresh.connections.query({ text: "SELECT 1 FROM guilds WHERE guild_id = '1'" });
    assert.deepEqual(rows, []);
  });

  test('says why a transaction failed, not that it was aborted', async () => {
    await assert.rejects(
      fresh.connections.transaction(async (inside) => {
        // Sent together, and awaited in another order.
        const failing = inside.query({ text: 'SELECT 1 / 0' });
        const aborted = inside.query({ text: 'SELECT 1' });
        await Promise.all([failing.then((result) => result.rows), aborted]);
      }),
      /division by zero/,
    );
  });

  test('begins again when a check fails, and then says why it failed', async () => {
    const check = { text: `SELECT WHERE ${failIf('TRUE')}` };
    await assert.rejects(
      fresh.connections.transaction(async (inside) => {
        const add = "INSERT INTO guilds (guild_id, name, created_at) VALUES ('2', 'undone', 0)";
        assert.equal(await inside.commitWith([{ text: add }, check, { text: add }]), false);
        await inside.query({ text: 'SELECT 1 / 0' });
      }),
      /division by zero/,
    );
    const { rows } = await fresh.connections.query({ text: "SELECT 1 FROM guilds WHERE guild_id = '2'" });
    assert.deepEqual(rows, []);
  });

  test('deletes votes and claims with their guild, and waits for those that are being written', async () => {
    const store = await openStore({ kind: 'postgres', url: fresh.url });
    const guildId = await addGuild(store);
    await store.votes.cast(voteOf(guildId));
    const idempotency = { key: 'key', requestHash: 'hash' };
    await claimVote(store, guildId, { userId: USER }, { idempotency });
    await store.votes.cast(voteOf(guildId, { userId: OTHER_USER }));
    await claimVote(store, guildId, { userId: OTHER_USER }, { consumer: 'lobby' });
    const rowsOf = async (table: string) => {
      const text = `SELECT count(*) AS rows FROM ${table} WHERE guild_id = $1`;
      return (await fresh.connections.query<{ rows: number }>({ text, values: [guildId] })).rows[0]?.rows;
    };
    const tables = ['votes', 'cooldowns', 'vote_claims', 'consumer_claims', 'idempotency_keys'];
    for (const table of tables) assert.notEqual(await rowsOf(table), 0, table);
    const deletion = { text: 'DELETE FROM guilds WHERE guild_id = $1', values: [guildId] };
    let deleted: Promise<unknown> = Promise.resolve();
    await fresh.connections.transaction(async (inside) => {
      const vote = voteOf(guildId, { userId: '300000000000000003' });
      await createCastGroups()({ ...inside, commit: async () => {} }, [{ vote, evidence: NO_EVIDENCE }]);
      deleted = fresh.connections.query(deletion);
      await waitForLock();
    });
    await deleted;
    for (const table of tables) assert.equal(await rowsOf(table), 0, table);
    await assert.rejects(store.votes.cast(voteOf(guildId)), UnknownGuildError);
    await store.close();
  });

  test('does not compile statements, which would take longer than running them', async () => {
    const jit = async (inside: Pick<Connections, 'query'>) =>
      (await inside.query({ text: 'SHOW jit' })).rows[0];
    assert.deepEqual(await jit(fresh.connections), { jit: 'off' });
    // As behind a pooler, whose sessions keep their settings.
    const { rows } = await fresh.connections.transaction(async (inside) => {
      await inside.query({ text: 'SET LOCAL jit = on' });
      await inside.query({ text: BY_KEY });
      return inside.query({ text: 'SHOW jit' });
    });
    assert.deepEqual(rows, [{ jit: 'off' }]);
  });

  test('plans the statements of casts and claims once for each connection, also for single ones', async () => {
    const store = await openStore({ kind: 'postgres', url: fresh.url });
    const guildId = await addGuild(store);
    await store.close();
    const connections = new Connections(fresh.url, { poolSize: 1 });
    const casts = [0, Number.POSITIVE_INFINITY].map(
      (plainGroups) =>
        new WriteGroups(connections, {
          run: createCastGroups(new PlainGroups(plainGroups)),
          keysOf: castKeys,
        }),
    );
    const claims = new WriteGroups(connections, { run: createClaimGroups(), keysOf: claimKeys });
    // PostgreSQL decides after five executions whether it makes a plan for each.
    for (let i = 10; i < 20; i += 1) {
      const userId = `3000000000000000${i}`;
      for (const [place, groups] of casts.entries()) {
        const vote = voteOf(guildId, {
          userId: `${userId}${place}`,
          castAt: NOW + place,
          externalId: 'Name',
        });
        await groups.add({ vote, evidence: NO_EVIDENCE });
      }
      const idempotency = { key: `key ${i}`, requestHash: 'hash' };
      const { kind } = await claims.add(claimRequest(guildId, { userId: `${userId}0` }, { idempotency }));
      assert.equal(kind, 'done');
    }
    const { rows } = await connections.query<{ name: string; plans: number }>({
      text: 'SELECT name, custom_plans AS plans FROM pg_prepared_statements ORDER BY name',
    });
    assert.notEqual(rows.length, 0);
    assert.deepEqual(
      rows.filter(({ plans }) => plans > 0),
      [],
    );
    await connections.close();
  });

  async function waitForLock(): Promise<void> {
    const text =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while ((await fresh.connections.query({ text })).rows.length === 0);
  }
});

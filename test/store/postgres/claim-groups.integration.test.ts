import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { type ClaimOutcome, type Vote, voteId } from '../../../src/domain/votes/vote.ts';
import type { ClaimRequest } from '../../../src/store/claims/claims.ts';
import { openStore } from '../../../src/store/open.ts';
import { Connections, type Transaction } from '../../../src/store/postgres/connection/connection.ts';
import { PlainGroups } from '../../../src/store/postgres/plain-groups.ts';
import { claimKeys, createClaimGroups } from '../../../src/store/postgres/votes/claim-votes.ts';
import { WriteGroups } from '../../../src/store/postgres/write-groups.ts';
import { claimRequest, hoursAgo } from '../claim-fixtures.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../fixtures.ts';
import { useFreshDatabase } from './fresh-database.ts';

/**
 * Claims groups on one connection, at once after `plainGroups` of them, and keeps the statements of each. `after` is called
 * with the name of each statement before its result is used.
 */
function openClaims(
  url: string,
  plainGroups: number,
  after: (name: string) => Promise<unknown> = async () => {},
) {
  const connections = new Connections(url, { poolSize: 1 });
  const claimGroup = createClaimGroups(new PlainGroups(plainGroups));
  const groups: string[][] = [];
  const run = (tx: Transaction, requests: readonly ClaimRequest[]) => {
    const names: string[] = [];
    groups.push(names);
    const query: Transaction['query'] = async (statement) => {
      const { name = '' } = statement;
      names.push(name.replace('claim-', ''));
      const result = await tx.query<never>(statement);
      await after(name);
      return result;
    };
    const commitWith: Transaction['commitWith'] = (statements) => {
      names.push(...statements.map(({ name = '' }) => name.replace('claim-', '')));
      return tx.commitWith(statements);
    };
    return claimGroup({ ...tx, query, commitWith }, requests);
  };
  const claims = new WriteGroups(connections, { run, keysOf: claimKeys });
  return {
    connections,
    groups,
    async claim(...requests: readonly ClaimRequest[]): Promise<ClaimOutcome[]> {
      const results = await Promise.all(requests.map((request) => claims.add(request)));
      return results.map((result) => {
        if (result.kind !== 'done') throw new Error(result.kind);
        return JSON.parse(result.body);
      });
    },
  };
}

/** The statements of a group that is claimed at once, and of the same group in steps. */
const AT_ONCE = [
  'lock',
  'findKeys',
  'open-default-ofUsers-totals',
  'default-addAll',
  'default-failIfDelayed',
  'addKeys',
];
const IN_STEPS = [
  'lock',
  'findKeys',
  'open-default-ofUsers',
  'default-add',
  'default-delay',
  'vote-totals',
  'addKeys',
];
const FAILED = [...AT_ONCE, ...IN_STEPS];

const COLUMNS = {
  vote_claims: 'user_id, cast_at, external_id, name_key, claimed_at, held_by',
  consumer_claims: 'user_id, cast_at, consumer, external_id, name_key, claimed_at, held_by',
  idempotency_keys: 'key, request_hash, created_at, claimed_at, consumer, vote_id IS NULL AS is_empty',
};

const keyOf = (key: string) => ({ idempotency: { key, requestHash: 'hash' } });

describe('groups of claims on PostgreSQL', () => {
  const fresh = useFreshDatabase();

  async function createGuild(...votes: Partial<Vote>[]): Promise<string> {
    const store = await openStore({ kind: 'postgres', url: fresh.url });
    const guildId = await addGuild(store);
    await importAll(store, ...votes.map((vote) => voteOf(guildId, vote)));
    await store.close();
    return guildId;
  }

  async function rowsOf(table: keyof typeof COLUMNS, guildId: string): Promise<object[]> {
    const text = `SELECT ${COLUMNS[table]} FROM ${table} WHERE guild_id = $1 ORDER BY 1, 2, 3`;
    return (await fresh.connections.query({ text, values: [guildId] })).rows;
  }

  async function run(text: string, ...values: unknown[]): Promise<void> {
    await fresh.connections.query({ text, values });
  }

  test('have the same outcomes at once and in steps', async () => {
    const userAt = (i: number) => `${400_000_000_000_000_000n + BigInt(i)}`;
    const seen: unknown[] = [];
    for (const plainGroups of [0, Number.POSITIVE_INFINITY]) {
      // Users with votes on some of the last days, and up to two that can be claimed.
      const guildId = await createGuild(
        ...Array.from({ length: 20 }, (_, i) => [
          ...Array.from({ length: i % 6 }, (_, day) => ({
            userId: userAt(i),
            castAt: hoursAgo(20) - (day + Number(i % 4 === 3)) * DAY_MS + i,
            externalId: `Name ${i}`,
          })),
          ...(i % 2 === 1 ? [{ userId: userAt(i), castAt: hoursAgo(6), externalId: `Name ${i}` }] : []),
        ]).flat(),
      );
      const { claim, groups, connections } = openClaims(fresh.url, plainGroups);
      const requests = Array.from({ length: 20 }, (_, i) => {
        const identity = i % 5 === 4 ? { externalId: `Name ${i}` } : { userId: userAt(i) };
        const consumer = i % 7 === 3 ? { consumer: 'shop' } : {};
        const oneRewardPerName = i % 2 === 0;
        return claimRequest(guildId, identity, {
          ...(i % 4 > 0 && keyOf(`${i}`)),
          ...consumer,
          oneRewardPerName,
        });
      });
      const outcomes = [await claim(...requests), await claim(...requests)];
      const isAtOnce = groups.map((names) => names.includes('open-default-ofUsers-totals'));
      assert.deepEqual(isAtOnce, plainGroups === 0 ? [true, true] : [false, false]);
      const stored = await Promise.all(
        (['vote_claims', 'consumer_claims', 'idempotency_keys'] as const).map((table) =>
          rowsOf(table, guildId),
        ),
      );
      seen.push(JSON.parse(JSON.stringify([outcomes, stored]).replaceAll(guildId, 'guild')));
      assert.ok(stored.every((rows) => rows.length > 1));
      assert.ok(outcomes[0]?.some(({ vote }) => (vote?.streakDays ?? 0) > 2));
      assert.ok(outcomes[0]?.some(({ vote, remaining }) => vote && remaining > 0));
      await connections.close();
    }
    assert.deepEqual(seen[0], seen[1]);
  });

  test('with a vote that is deleted in the meantime are claimed in steps', async () => {
    const guildId = await createGuild(
      { castAt: hoursAgo(5) },
      { castAt: hoursAgo(3) },
      { userId: OTHER_USER, castAt: hoursAgo(2) },
    );
    const { claim, groups, connections } = openClaims(fresh.url, 0, async (name) => {
      if (name.startsWith('open-'))
        await run('DELETE FROM votes WHERE guild_id = $1 AND cast_at = $2', guildId, hoursAgo(5));
    });
    const outcomes = await claim(
      claimRequest(guildId, { userId: USER }, keyOf('a')),
      claimRequest(guildId, { userId: OTHER_USER }, keyOf('b')),
    );
    assert.deepEqual(groups, [FAILED]);
    assert.deepEqual(
      outcomes.map(({ vote }) => [vote?.castAt, vote?.totalVotes]),
      [
        [hoursAgo(3), 1],
        [hoursAgo(2), 1],
      ],
    );
    assert.equal((await rowsOf('vote_claims', guildId)).length, 2);
    assert.equal((await rowsOf('idempotency_keys', guildId)).length, 2);
    await connections.close();
  });

  test('with a vote whose claim was released are claimed in steps, and later', async () => {
    const guildId = await createGuild({ castAt: hoursAgo(5) });
    const id = voteId(voteOf(guildId, { castAt: hoursAgo(5) }));
    await run(
      'INSERT INTO released_claims (guild_id, vote_id, claimed_at) VALUES ($1, $2, $3)',
      guildId,
      id,
      NOW + 4,
    );
    const { claim, groups, connections } = openClaims(fresh.url, 0);
    const [outcome] = await claim(claimRequest(guildId, { userId: USER }, keyOf('a')));
    assert.deepEqual(groups, [FAILED]);
    assert.equal(outcome?.vote?.claimedAt, NOW + 5);
    await connections.close();
  });

  for (const consumer of ['default', 'shop'])
    test(`with votes whose claims by ${consumer} were released before are claimed at once`, async () => {
      const guildId = await createGuild({ castAt: hoursAgo(5) }, { castAt: hoursAgo(3) });
      const { claim, groups, connections } = openClaims(fresh.url, 0);
      const releases = consumer === 'default' ? 'released_claims' : 'released_consumer_claims';
      for (const castAt of [hoursAgo(5), hoursAgo(3)]) {
        const values = [guildId, voteId(voteOf(guildId, { castAt })), NOW - 1];
        await run(
          consumer === 'default'
            ? `INSERT INTO ${releases} (guild_id, vote_id, claimed_at) VALUES ($1, $2, $3)`
            : `INSERT INTO ${releases} (guild_id, vote_id, claimed_at, consumer) VALUES ($1, $2, $3, 'shop')`,
          ...values,
        );
        const [outcome] = await claim(
          claimRequest(guildId, { userId: USER }, { ...keyOf(`${castAt}`), consumer }),
        );
        assert.equal(outcome?.vote?.claimedAt, NOW);
      }
      assert.ok(groups.every((names) => !names.some((name) => name.endsWith('-add'))));
      await connections.close();
    });

  test('of a guild with an endpoint are claimed in steps, with one event for each', async () => {
    const guildId = await createGuild({ castAt: hoursAgo(5) });
    await run(
      `INSERT INTO webhook_endpoints (guild_id, endpoint_id, name, url, events, secret, created_at)
       VALUES ($1, 'we_1', 'test', 'https://example.com', 'reward_granted', '', 0)`,
      guildId,
    );
    const { claim, groups, connections } = openClaims(fresh.url, 0);
    await claim(claimRequest(guildId, { userId: USER }, keyOf('a')));
    assert.deepEqual(groups[0]?.slice(0, FAILED.length), FAILED);
    const { rows } = await fresh.connections.query({
      text: 'SELECT type FROM webhook_events WHERE guild_id = $1',
      values: [guildId],
    });
    assert.deepEqual(rows, [{ type: 'reward_granted' }]);
    await connections.close();
  });

  test('whose outcomes depend on each other are claimed in steps, without another transaction', async () => {
    const externalId = 'Steve';
    const guildId = await createGuild(
      { castAt: hoursAgo(5), externalId },
      { castAt: hoursAgo(3), userId: OTHER_USER, externalId },
    );
    const { claim, groups, connections } = openClaims(fresh.url, 0);
    const outcomes = await claim(
      claimRequest(guildId, { userId: USER }, keyOf('a')),
      claimRequest(guildId, { userId: OTHER_USER }, keyOf('b')),
    );
    assert.deepEqual(
      outcomes.map(({ vote }) => vote?.castAt),
      [hoursAgo(5), hoursAgo(3)],
    );
    assert.ok(groups[0]?.includes('default-add') && !groups[0].includes('default-addAll'));
    await connections.close();
  });

  test('for a chosen vote claim that one, and find its claim again', async () => {
    const guildId = await createGuild(
      { castAt: hoursAgo(9) },
      { castAt: hoursAgo(6) },
      { castAt: hoursAgo(3) },
    );
    const { claim, groups, connections } = openClaims(fresh.url, 0);
    for (const castAt of [hoursAgo(3), hoursAgo(9), hoursAgo(3)]) {
      const only = { castAt, userId: USER, heldBy: 'holder' };
      const [outcome] = await claim(claimRequest(guildId, { userId: USER }, { only }));
      assert.deepEqual([outcome?.vote?.castAt, outcome?.vote?.claimedAt], [castAt, NOW]);
      assert.equal(outcome?.vote?.totalVotes, castAt === hoursAgo(9) ? 1 : 3);
    }
    assert.deepEqual(
      groups.map((names) => names.includes('default-addAll')),
      [false, true, false],
    );
    await connections.close();
  });

  test('are claimed at once after some that could have been', async () => {
    const guildId = await createGuild(...Array.from({ length: 5 }, (_, i) => ({ castAt: hoursAgo(10 - i) })));
    const { claim, groups, connections } = openClaims(fresh.url, 2);
    for (let i = 0; i < 5; i += 1) await claim(claimRequest(guildId, { userId: USER }, keyOf(`${i}`)));
    assert.deepEqual(groups, [IN_STEPS, IN_STEPS, AT_ONCE, AT_ONCE, AT_ONCE]);
    await connections.close();
  });
});

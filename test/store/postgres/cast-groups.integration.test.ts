import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import { MARK_BITS } from '../../../src/domain/votes/marks.ts';
import { COOLDOWN_MS } from '../../../src/domain/votes/vote.ts';
import { openStore } from '../../../src/store/open.ts';
import { Connections, type Transaction } from '../../../src/store/postgres/connection/connection.ts';
import { PlainGroups } from '../../../src/store/postgres/plain-groups.ts';
import { castKeys, createCastGroups, refuseExisting } from '../../../src/store/postgres/votes/cast.ts';
import { WriteGroups } from '../../../src/store/postgres/write-groups.ts';
import { UnknownGuildError } from '../../../src/store/store.ts';
import { type Cast, type CastOutcome, NO_EVIDENCE } from '../../../src/store/votes/votes.ts';
import { addGuild, importAll, NOW, OTHER_USER, USER, voteOf } from '../fixtures.ts';
import { useFreshDatabase } from './fresh-database.ts';

/** Casts groups on one connection, at once after `plainGroups` of them, and keeps the statements of each. */
function openCasts(url: string, plainGroups: number) {
  const connections = new Connections(url, { poolSize: 1 });
  const castGroup = createCastGroups(new PlainGroups(plainGroups));
  const groups: string[][] = [];
  const run = (tx: Transaction, casts: readonly Cast[]) => {
    const names: string[] = [];
    groups.push(names);
    const query: Transaction['query'] = (statement) => {
      names.push(statement.name ?? '');
      return tx.query(statement);
    };
    const commitWith: Transaction['commitWith'] = (statements) => {
      names.push(...statements.map(({ name = '' }) => name));
      return tx.commitWith(statements);
    };
    return castGroup({ ...tx, query, commitWith }, casts);
  };
  const casts = new WriteGroups(connections, { run, keysOf: castKeys, resultOf: refuseExisting });
  return {
    connections,
    groups,
    cast: (...votes: readonly (Partial<Cast['vote']> & { guildId: string })[]): Promise<CastOutcome[]> =>
      Promise.all(
        votes.map((vote) => casts.add({ vote: voteOf(vote.guildId, vote), evidence: NO_EVIDENCE })),
      ),
  };
}

/** Those of its columns that a table has. */
type Row = { guild: number } & Partial<
  Record<'seq' | 'marks' | 'votes', number> & { name_key: string | null }
>;

const COLUMNS = {
  votes: 'seq, cast_at, user_id, external_id, name_key, is_doubled, network, marks',
  cooldowns: 'user_id, last_vote_at',
  vote_sequences: 'last_seq',
  hourly_votes: 'hour, votes, doubled, first_seq',
  monthly_votes: 'month, votes, doubled',
  reminders: 'user_id, active_at, next_attempt_at, may_be_sent',
};
const TABLES = [
  'votes',
  'cooldowns',
  'vote_sequences',
  'hourly_votes',
  'monthly_votes',
  'reminders',
] as const;

const kindsOf = (outcomes: readonly CastOutcome[]) => outcomes.map(({ kind }) => kind);
const userAt = (i: number) => `${400_000_000_000_000_000n + BigInt(i)}`;

describe('groups of votes on PostgreSQL', () => {
  const fresh = useFreshDatabase();

  async function createGuilds(count: number): Promise<string[]> {
    const store = await openStore({ kind: 'postgres', url: fresh.url });
    const guildIds: string[] = [];
    for (let i = 0; i < count; i += 1) guildIds.push(await addGuild(store));
    await store.close();
    return guildIds;
  }

  /** The rows of these guilds, with the place of the guild instead of its id. */
  async function rowsOf(table: keyof typeof COLUMNS, guildIds: readonly string[]): Promise<Row[]> {
    const text = `SELECT array_position($1::text[], guild_id) - 1 AS guild, ${COLUMNS[table]} FROM ${table}
      WHERE guild_id = ANY ($1) ORDER BY 1, 2`;
    return (await fresh.connections.query<Row>({ text, values: [guildIds] })).rows;
  }

  async function run(text: string, ...values: unknown[]): Promise<void> {
    await fresh.connections.query({ text, values });
  }

  test('store the same at once and in steps', async () => {
    const [atOnce, inSteps] = [await createGuilds(4), await createGuilds(4)];
    for (const [guildIds, plainGroups, statements] of [
      [atOnce, 0, ['cast-castAll', 'cast-remind', 'cast-markShared']],
      [inSteps, Number.POSITIVE_INFINITY, ['cast-claim', 'cast-insert', 'cast-remind', 'cast-markShared']],
    ] as const) {
      const votes = Array.from({ length: 60 }, (_, i) => ({
        // More for the first guild, which is not the first one of the group.
        guildId: guildIds[[2, 0, 0, 3, 1, 0, 1, 0, 1, 2][i % 10] ?? 0] ?? '',
        userId: userAt(i),
        // Out of order, in several hours and two months.
        castAt: NOW + ((i * 37) % 50) * HOUR_MS + i + (i % 5 === 0 ? 40 * DAY_MS : 0),
        isDoubled: i % 7 === 0,
        // Some of them share a name.
        externalId: i % 3 === 0 ? null : `Name "${i % 8}"\\`,
      }));
      for (const { guildId, userId } of votes.slice(5, 10))
        await run(
          "INSERT INTO reminders (guild_id, user_id, locale, active_at) VALUES ($1, $2, 'en', 0)",
          ...[guildId, userId],
        );
      const { cast, groups, connections } = openCasts(fresh.url, plainGroups);
      for (const group of [votes.slice(0, 30), votes.slice(30)])
        assert.deepEqual(new Set(kindsOf(await cast(...group))), new Set(['accepted']));
      assert.deepEqual(groups, [statements, statements]);
      await connections.close();
    }
    for (const table of TABLES)
      assert.deepEqual(await rowsOf(table, atOnce), await rowsOf(table, inSteps), table);
    const votes = await rowsOf('votes', atOnce);
    // By their numbers: the first vote with a name is not marked.
    const ofName = Map.groupBy(
      votes.filter(({ name_key }) => name_key !== null),
      ({ guild, name_key }) => `${guild} ${name_key}`,
    );
    for (const [name, [first]] of ofName) assert.equal(first?.marks, 0, name);
    const marked = votes.filter(({ marks }) => marks === MARK_BITS.shared_name);
    assert.ok(marked.length > 10, `${marked.length} votes have the name of another one`);
  });

  test('with a refused vote are cast in steps, on the same connection', async () => {
    const guildIds = await createGuilds(2);
    const [guildId = '', other = ''] = guildIds;
    const { cast, groups, connections } = openCasts(fresh.url, 0);
    const session = async () => (await connections.query({ text: 'SELECT pg_backend_pid() AS id' })).rows;
    await cast({ guildId });
    const before = await session();
    const outcomes = await cast(
      { guildId, castAt: NOW + 1 },
      { guildId, userId: OTHER_USER, castAt: NOW + 2 },
      { guildId: other, castAt: NOW + 3 },
    );
    assert.deepEqual(kindsOf(outcomes), ['cooldown', 'accepted', 'accepted']);
    assert.deepEqual(groups.at(-1), [
      'cast-castAll',
      'cast-remind',
      'cast-claim',
      'cast-insert',
      'cast-remind',
      'cast-explain',
    ]);
    assert.deepEqual(await rowsOf('cooldowns', guildIds), [
      { guild: 0, user_id: USER, last_vote_at: NOW },
      { guild: 0, user_id: OTHER_USER, last_vote_at: NOW + 2 },
      { guild: 1, user_id: USER, last_vote_at: NOW + 3 },
    ]);
    assert.deepEqual(await rowsOf('vote_sequences', guildIds), [
      { guild: 0, last_seq: 2 },
      { guild: 1, last_seq: 1 },
    ]);
    assert.deepEqual(await session(), before);
    await connections.close();
  });

  test('with a vote for an unknown guild or of a banned user store the others', async () => {
    const [guildId = ''] = await createGuilds(1);
    const { cast, connections } = openCasts(fresh.url, 0);
    await run('INSERT INTO voter_bans (user_id, since) VALUES ($1, 0)', userAt(99));
    assert.deepEqual(kindsOf(await cast({ guildId, userId: userAt(99) }, { guildId })), [
      'banned',
      'accepted',
    ]);
    const [unknown, known] = await Promise.allSettled([
      cast({ guildId: '999' }),
      cast({ guildId, userId: OTHER_USER }),
    ]);
    assert.ok(unknown.status === 'rejected' && unknown.reason instanceof UnknownGuildError);
    assert.equal(known.status, 'fulfilled');
    assert.equal((await rowsOf('votes', [guildId])).length, 2);
    await connections.close();
  });

  test('with a vote that exists say so, and store the others', async () => {
    const [guildId = ''] = await createGuilds(1);
    const store = await openStore({ kind: 'postgres', url: fresh.url });
    await importAll(store, voteOf(guildId, { castAt: NOW }));
    await store.close();
    await run('DELETE FROM cooldowns WHERE guild_id = $1', guildId);
    const { cast, connections } = openCasts(fresh.url, 0);
    const outcomes = await cast({ guildId, castAt: NOW }, { guildId, userId: OTHER_USER });
    assert.deepEqual(kindsOf(outcomes), ['cooldown', 'accepted']);
    await connections.close();
  });

  for (const [what, sql] of Object.entries({
    'an endpoint': `INSERT INTO webhook_endpoints (guild_id, endpoint_id, name, url, events, secret, created_at)
      VALUES ($1, 'we_1', 'test', 'https://example.com', 'vote_received', '', 0)`,
    'a goal': `INSERT INTO vote_goals (guild_id, period, target) VALUES ($1, 'day', 2)`,
    'a voter role': `INSERT INTO voter_roles (guild_id, role_id, rule, amount) VALUES ($1, '5', 'recent', 12)`,
  })) {
    test(`for a guild with ${what} are cast in steps, and each vote once`, async () => {
      const guildIds = await createGuilds(2);
      const [guildId = '', other = ''] = guildIds;
      const { cast, groups, connections } = openCasts(fresh.url, 0);
      await run(sql, guildId);
      const outcomes = await cast({ guildId }, { guildId: other }, { guildId, userId: OTHER_USER });
      assert.deepEqual(kindsOf(outcomes), ['accepted', 'accepted', 'accepted']);
      assert.deepEqual(groups.at(-1)?.slice(0, 5), [
        ...['cast-castAll', 'cast-remind', 'cast-claim', 'cast-insert', 'cast-remind'],
      ]);
      assert.ok((groups.at(-1)?.length ?? 0) > 5, 'nothing followed');
      assert.deepEqual(
        (await rowsOf('votes', guildIds)).map(({ seq }) => seq),
        [1, 2, 1],
      );
      assert.deepEqual(
        (await rowsOf('monthly_votes', guildIds)).map(({ votes }) => votes),
        [2, 1],
      );
      await connections.close();
    });
  }

  test('are cast at once after some that could have been', async () => {
    const [guildId = ''] = await createGuilds(1);
    const { cast, groups, connections } = openCasts(fresh.url, 3);
    for (let i = 0; i < 5; i += 1) await cast({ guildId, userId: userAt(i) });
    await cast({ guildId, userId: userAt(0) });
    for (let i = 5; i < 12; i += 1) await cast({ guildId, userId: userAt(i) });
    assert.deepEqual(
      groups.map(([first]) => first),
      [
        ...['cast-claim', 'cast-claim', 'cast-claim', 'cast-castAll', 'cast-castAll'],
        // Twice as many are needed after an attempt that failed.
        ...['cast-castAll', ...Array<string>(6).fill('cast-claim'), 'cast-castAll'],
      ],
    );
    await connections.close();
  });

  test('that wait for another vote see its name, and a reminder that is switched on meanwhile', async () => {
    const [guildId = ''] = await createGuilds(1);
    const store = await openStore({ kind: 'postgres', url: fresh.url });
    const [first, second] = [openCasts(fresh.url, 0), openCasts(fresh.url, 0)];
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = fresh.connections.transaction(async (inside) => {
      const vote = voteOf(guildId, { externalId: 'Steve' });
      await createCastGroups()({ ...inside, commit: async () => {} }, [{ vote, evidence: NO_EVIDENCE }]);
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const waiting = second.cast({ guildId, userId: OTHER_USER, externalId: 'STEVE' });
    const text =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while ((await first.connections.query({ text })).rows.length === 0);
    await store.reminders.enable({ guildId, userId: OTHER_USER, locale: 'en', now: NOW });
    await store.close();
    released.resolve();
    await Promise.all([holding, waiting]);
    assert.deepEqual(second.groups, [['cast-castAll', 'cast-remind', 'cast-markShared']]);
    assert.deepEqual(
      (await rowsOf('votes', [guildId])).map(({ marks }) => marks),
      [0, MARK_BITS.shared_name],
    );
    const [reminder] = (
      await fresh.connections.query<{ due: number }>({
        text: 'SELECT next_attempt_at AS due FROM reminders WHERE guild_id = $1',
        values: [guildId],
      })
    ).rows;
    assert.equal(reminder?.due, NOW + COOLDOWN_MS);
    await Promise.all([first.connections.close(), second.connections.close()]);
  });
});

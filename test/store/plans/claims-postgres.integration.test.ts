import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLAIM_SCOPES, CLAIM_TABLES, type ClaimScope } from '../../../src/store/claims/claim-tables.ts';
import { Connections, type Queryable } from '../../../src/store/postgres/connection/connection.ts';
import { ADD_STATEMENTS } from '../../../src/store/postgres/votes/add-claims.ts';
import { CAST_STATEMENTS } from '../../../src/store/postgres/votes/cast-statements.ts';
import { LOCK } from '../../../src/store/postgres/votes/claim-votes.ts';
import {
  CLAIMABLE_QUERIES,
  OPEN_QUERIES,
  OPEN_WITH_TOTALS,
} from '../../../src/store/postgres/votes/claimable.ts';
import { CLAIM_STATEMENTS } from '../../../src/store/postgres/votes/claims.ts';
import { ENTER_NETWORKS } from '../../../src/store/postgres/votes/enter-networks.ts';
import { FEED_QUERIES } from '../../../src/store/postgres/votes/feed.ts';
import { GOAL_STATEMENTS } from '../../../src/store/postgres/votes/goals.ts';
import { KEY_STATEMENTS } from '../../../src/store/postgres/votes/idempotency-keys.ts';
import { TOTALS } from '../../../src/store/postgres/votes/standing.ts';
import { MARK_ROLE_CHECKS } from '../../../src/store/postgres/votes/voter-roles.ts';
import { MANY_QUERIES } from '../../../src/store/postgres/votes/votes.ts';
import { BY_KEY } from '../../../src/store/postgres/write-groups.ts';
import { createMigratedDatabase } from '../../support/postgres/postgres.ts';

/** `claims`: the table of claims. */
function groupPlans(scope: ClaimScope): Record<string, string[]> {
  const { claims, byName, releases } = CLAIM_TABLES[scope];
  const [claim, unique] = [`${claims}_pkey`, UNIQUE_INDEX[scope]];
  return {
    openOfUsers: ['votes_by_user', claim],
    openOfNames: ['votes_by_external_id', claim],
    claimedOfUser: ['votes_by_user', claim],
    claimedOfName: ['votes_by_external_id', claim],
    openLimitedByName: ['votes_by_external_id', byName],
    openOfUsersWithTotals: ['votes_by_user', claim, 'votes_by_user', 'votes_by_user'],
    openOfNamesWithTotals: ['votes_by_external_id', claim, 'votes_by_user', 'votes_by_user'],
    openLimitedByNameWithTotals: ['votes_by_external_id', byName, 'votes_by_user', 'votes_by_user'],
    claimableOfUsers: ['votes_by_user', claim],
    claimableOfNames: ['votes_by_external_id', claim],
    claimableLimitedByName: ['votes_by_external_id', byName],
    pending: ['votes_pkey', claim],
    release: ['guilds_pkey', unique],
    times: [claim],
    add: ['votes_by_user', 'webhook_endpoints_pkey'],
    addAll: ['votes_by_user', 'webhook_endpoints_pkey'],
    failIfDelayed: [`${releases}_pkey`],
    delay: [`${releases}_pkey`, unique],
    findHeld: ['votes_by_user', claim],
  };
}

const UNIQUE_INDEX = {
  default: 'vote_claims_guild_id_vote_id_key',
  named: 'consumer_claims_guild_id_vote_id_consumer_key',
};

const PLANS: Record<string, string[]> = {
  heads: ['votes_by_seq'],
  read: ['feed_epochs_pkey', 'vote_sequences_pkey', 'votes_by_seq', 'voided_votes_by_seq', 'votes_by_seq'],
  startAt: ['votes_by_seq', 'hourly_votes_pkey'],
  userId: ['votes_by_user'],
  externalId: ['votes_by_external_id'],
  lock: ['guilds_pkey'],
  findKeys: ['idempotency_keys_pkey', UNIQUE_INDEX.default, UNIQUE_INDEX.named],
  totals: ['votes_by_user', 'votes_by_user'],
  dropKeys: ['idempotency_keys_by_age'],
  addKeys: [],
  castAll: [
    ...['voter_bans_pkey', 'guilds_pkey', 'feed_epochs_pkey', 'feed_epochs_pkey'],
    ...['webhook_endpoints_pkey', 'vote_goals_pkey', 'voter_roles_pkey'],
  ],
  castClaim: [
    ...['voter_bans_pkey', 'guilds_pkey', 'feed_epochs_pkey', 'feed_epochs_pkey'],
    ...['webhook_endpoints_pkey', 'vote_goals_pkey', 'voter_roles_pkey'],
  ],
  castInsert: [],
  castRemind: ['reminders_pkey'],
  castMarkShared: ['votes_by_user', 'votes_by_external_id'],
  castExplain: ['voter_bans_pkey', 'cooldowns_pkey'],
  goalCount: ['reached_goals_pkey', 'monthly_votes_pkey', 'hourly_votes_pkey'],
  goalReach: [],
  goalLockParties: ['vote_goals_pkey'],
  goalCountParties: ['vote_goals_pkey'],
  goalCorrectParty: ['vote_goals_pkey'],
  markRoleChecks: ['voter_roles_pkey', 'voter_roles_pkey'],
  enterNetworks: [],
};

function plannedQueries(): PlannedQuery[] {
  const { castAll, claim, insert, remind, markShared, explain } = CAST_STATEMENTS;
  const others = {
    ...FEED_QUERIES,
    ...MANY_QUERIES,
    ...KEY_STATEMENTS,
    lock: LOCK,
    ...{
      castAll,
      castClaim: claim,
      castInsert: insert,
      castRemind: remind,
      castMarkShared: markShared,
      castExplain: explain,
    },
    goalCount: GOAL_STATEMENTS.count,
    goalReach: GOAL_STATEMENTS.reach,
    goalLockParties: GOAL_STATEMENTS.lockParties,
    goalCountParties: GOAL_STATEMENTS.countParties,
    goalCorrectParty: GOAL_STATEMENTS.correctParty,
    markRoleChecks: MARK_ROLE_CHECKS,
    totals: TOTALS,
    enterNetworks: ENTER_NETWORKS,
  };
  const queries: PlannedQuery[] = Object.entries(others).map(([name, sql]) => ({
    name,
    sql,
    expected: PLANS[name],
  }));
  for (const scope of CLAIM_SCOPES) {
    const plans = groupPlans(scope);
    const [open, withTotals, counted] = [
      OPEN_QUERIES[scope],
      OPEN_WITH_TOTALS[scope],
      CLAIMABLE_QUERIES[scope],
    ];
    const { pruneReleases: _, ...statements } = CLAIM_STATEMENTS[scope];
    const ofScope = {
      ...statements,
      ...ADD_STATEMENTS[scope],
      openOfUsers: open.ofUsers,
      openOfNames: open.ofNames,
      openLimitedByName: open.limitedByName,
      openOfUsersWithTotals: withTotals.ofUsers,
      openOfNamesWithTotals: withTotals.ofNames,
      openLimitedByNameWithTotals: withTotals.limitedByName,
      claimableOfUsers: counted.ofUsers,
      claimableOfNames: counted.ofNames,
      claimableLimitedByName: counted.limitedByName,
    };
    for (const [name, sql] of Object.entries(ofScope))
      queries.push({ name: `${name} ${scope}`, sql, expected: plans[name] });
  }
  return queries;
}

test('claims and the feed on PostgreSQL use indexes', async () => {
  const { url, drop } = await createMigratedDatabase();
  const connections = new Connections(url);
  const queries = plannedQueries();
  await connections.transaction(async (inside) => {
    // The tables are empty, so a full scan would be cheap: only the choice of index is checked.
    await inside.query({ text: 'SET LOCAL enable_seqscan = off' });
    await inside.query({ text: 'SET LOCAL enable_bitmapscan = off' });
    await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
    await checkPlans(inside, queries);
    // Statistics from before the first claim, as of a database that was copied or vacuumed, make all indexes seem equal.
    // Statements that join their parameters with a table read all of one that is empty, until it is analyzed again.
    await inside.query({ text: 'ANALYZE' });
    await checkPlans(
      inside,
      queries.filter(({ name }) => /^(?:open|claimable|claimed|pending|times|findHeld)/.test(name)),
    );
  });
  await connections.close();
  await drop();
});

/** Twenty communities with a thousand votes each; most are claimed by two consumers, and some of the claims are released. */
const FILL = [
  `INSERT INTO guilds (guild_id, name, name_folded, created_at)
   SELECT 'guild ' || g, 'Guild ' || g, 'guild ' || g, 0 FROM generate_series(1, 20) AS g`,
  `INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq)
   SELECT guild_id, 1000000 * i, 'user ' || i % 300, 'name ' || i % 400, 'NAME ' || i % 400, false, i
   FROM guilds, generate_series(1, 1000) AS i`,
  `INSERT INTO vote_claims (guild_id, cast_at, user_id, vote_id, external_id, name_key, claimed_at)
   SELECT guild_id, cast_at, user_id, md5(guild_id || seq), external_id, name_key, cast_at + 1 FROM votes WHERE seq % 10 > 0`,
  `INSERT INTO consumer_claims (guild_id, cast_at, user_id, consumer, vote_id, external_id, name_key, claimed_at)
   SELECT guild_id, cast_at, user_id, 'game', vote_id, external_id, name_key, claimed_at FROM vote_claims`,
  `INSERT INTO released_claims (guild_id, vote_id, claimed_at)
   SELECT guild_id, vote_id, claimed_at FROM vote_claims WHERE cast_at % 7000000 = 0`,
  `INSERT INTO released_consumer_claims (guild_id, vote_id, consumer, claimed_at)
   SELECT guild_id, vote_id, 'game', claimed_at FROM released_claims`,
  `INSERT INTO idempotency_keys (guild_id, key, request_hash, created_at, body, vote_id, claimed_at)
   SELECT guild_id, 'key ' || vote_id, 'hash', claimed_at, '{}', vote_id, claimed_at FROM vote_claims`,
  `INSERT INTO cooldowns (guild_id, user_id, last_vote_at) SELECT guild_id, user_id, max(cast_at) FROM votes GROUP BY 1, 2`,
  `INSERT INTO hourly_votes (guild_id, hour, votes, doubled)
   SELECT guild_id, cast_at - cast_at % 3600000, count(*), 0 FROM votes GROUP BY 1, 2`,
  'INSERT INTO vote_sequences (guild_id, last_seq) SELECT guild_id, 1000 FROM guilds',
  `INSERT INTO reminders (guild_id, user_id, locale, active_at) SELECT guild_id, user_id, 'en', 0 FROM cooldowns`,
  `INSERT INTO voter_bans (user_id, since) SELECT 'user ' || i, 0 FROM generate_series(1, 300) AS i`,
];

/** These do not run in a group of writes, whose transactions have settings of their own for the planner. */
const READS = /^(?:claimable|claimed|times)/;
/** These read a range of an index, for which a bitmap can be as fast. */
const RANGES = /^(?:startAt|pending)/;

test('claims and the feed on PostgreSQL use the same indexes once the tables are filled and analyzed', async () => {
  const { url, drop } = await createMigratedDatabase();
  const connections = new Connections(url);
  await connections.transaction(async (inside) => {
    for (const text of FILL) await inside.query({ text });
    await inside.query({ text: 'ANALYZE' });
    await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
    const queries = plannedQueries();
    const isRead = ({ name }: PlannedQuery) => READS.test(name);
    await checkPlans(inside, queries.filter(isRead));
    await inside.query({ text: BY_KEY });
    await checkPlans(
      inside,
      queries.filter((query) => !isRead(query) && !RANGES.test(query.name)),
    );
  });
  await connections.close();
  await drop();
});

type PlannedQuery = { name: string; sql: string; expected: string[] | undefined };

async function checkPlans(tx: Queryable, queries: readonly PlannedQuery[]): Promise<void> {
  for (const { name, sql, expected } of queries) {
    await tx.query({ text: `PREPARE "plan ${name}" AS ${sql}` });
    const count = new Set(sql.match(/\$\d+/g)).size;
    const { rows } = await tx.query({
      text: `EXPLAIN EXECUTE "plan ${name}" (${Array(count).fill('NULL')})`,
    });
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    const used = Array.from(plan.matchAll(/using (\w+) on/g), (match) => match[1]);
    assert.deepEqual(used, expected, `${name}\n${plan}`);
    // Claims are looked up by their whole key.
    for (const [condition] of plan.matchAll(
      /Index Cond: .*c\.cast_at.*|using (?:vote|consumer)_claims_pkey.*\n.*Index Cond.*/g,
    ))
      assert.match(condition, /guild_id = .*cast_at = .*user_id >= .*user_id <= /, name);
    assert.doesNotMatch(plan, /Seq Scan/, name);
  }
  await tx.query({ text: 'DEALLOCATE ALL' });
}

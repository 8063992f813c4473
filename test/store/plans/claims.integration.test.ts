import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { CLAIM_SCOPES, CLAIM_TABLES, type ClaimScope } from '../../../src/store/claims/claim-tables.ts';
import { migrateDatabase } from '../../../src/store/open.ts';
import { Connections, type Queryable } from '../../../src/store/postgres/connection/connection.ts';
import { ADD_STATEMENTS } from '../../../src/store/postgres/votes/add-claims.ts';
import { CAST_STATEMENTS } from '../../../src/store/postgres/votes/cast.ts';
import { GROUP_STATEMENTS } from '../../../src/store/postgres/votes/claim-votes.ts';
import {
  OPEN_QUERIES,
  CLAIMABLE_QUERIES as POSTGRES_CLAIMABLE,
} from '../../../src/store/postgres/votes/claimable.ts';
import { CLAIM_STATEMENTS } from '../../../src/store/postgres/votes/claims.ts';
import { ENTER_NETWORKS } from '../../../src/store/postgres/votes/enter-networks.ts';
import { FEED_QUERIES as POSTGRES_FEED } from '../../../src/store/postgres/votes/feed.ts';
import { GOAL_STATEMENTS } from '../../../src/store/postgres/votes/goals.ts';
import { TOTALS } from '../../../src/store/postgres/votes/standing.ts';
import { MARK_ROLE_CHECKS } from '../../../src/store/postgres/votes/voter-roles.ts';
import { MANY_QUERIES } from '../../../src/store/postgres/votes/votes.ts';
import { FIND_STATE as FIND_CAST_STATE } from '../../../src/store/sqlite/votes/cast.ts';
import { CLAIM_QUERIES as SQLITE_CLAIMS } from '../../../src/store/sqlite/votes/claim-reader.ts';
import { FIND_STATE as FIND_CLAIM_STATE } from '../../../src/store/sqlite/votes/claim-votes.ts';
import { CLAIMABLE_QUERIES as SQLITE_CLAIMABLE } from '../../../src/store/sqlite/votes/claimable.ts';
import { PRUNE_KEYS, CLAIM_STATEMENTS as SQLITE_STATEMENTS } from '../../../src/store/sqlite/votes/claims.ts';
import { FEED_QUERIES as SQLITE_FEED } from '../../../src/store/sqlite/votes/feed.ts';
import { createMigratedDatabase } from '../../support/postgres/postgres.ts';

const OF_USER = /votes_by_user \(guild_id=\? AND user_id=\? AND cast_at>\? AND cast_at<\?\)/;
const OF_NAME = /votes_by_external_id \(guild_id=\? AND name_key=\? AND cast_at>\? AND cast_at<\?\)/;
const NEWEST = /COVERING INDEX votes_by_seq \(guild_id=\? AND seq>\?\)/;

type Claimable = Record<'ofUsers' | 'ofNames' | 'limitedByName', string>;

/** Under names of their own, because some are also the names of queries for one identity. */
function claimable({ ofUsers, ofNames, limitedByName }: Claimable) {
  return {
    claimableOfUsers: ofUsers,
    claimableOfNames: ofNames,
    claimableLimitedByName: limitedByName,
  };
}

/** Each line of a plan that reads a table, in order. */
function claimPlans(scope: ClaimScope): Record<string, RegExp[]> {
  const { claims, byName, byId, releases } = CLAIM_TABLES[scope];
  const consumer = scope === 'named' ? ' AND consumer=\\?' : '';
  const claimKey = `^SEARCH c USING (?:COVERING )?INDEX sqlite_autoindex_${claims}_1 \\(guild_id=\\? AND cast_at=\\? AND user_id=\\?`;
  const claim = new RegExp(`${claimKey}${consumer}\\)`);
  const claimOfName = new RegExp(
    `${byName} \\(guild_id=\\?${consumer} AND name_key=\\? AND cast_at>\\? AND cast_at<\\?\\)`,
  );
  return {
    openOfUser: [OF_USER, claim],
    openOfName: [OF_NAME, claim],
    claimedOfUser: [OF_USER, claim],
    claimedOfName: [OF_NAME, claim],
    firstOfName: [OF_NAME],
    lastClaimOfName: [claimOfName],
    claimableOfUsers: [/^SCAN asked/, OF_USER, claim],
    claimableOfNames: [/^SCAN asked/, OF_NAME, claim],
    claimableLimitedByName: [
      /^SCAN asked/,
      /^SCAN CONSTANT ROW/,
      /^SCAN steps/,
      /^SEARCH v USING COVERING INDEX votes_by_external_id \(guild_id=\? AND name_key=\? AND cast_at=\? AND user_id=\?\)/,
      OF_NAME,
      claimOfName,
      /^SCAN steps/,
    ],
    pending: [/^SEARCH v USING PRIMARY KEY \(guild_id=\? AND \(cast_at,user_id\)>\(\?,\?\)/, claim],
    times: [/^SCAN asked/, new RegExp(claimKey)],
    release: [new RegExp(`^SEARCH ${claims} USING INDEX ${byId} \\(<expr>=\\?\\)`)],
    keepRelease: [],
    pruneReleases: [
      /PRIMARY KEY/,
      /^SCAN g/,
      new RegExp(`COVERING INDEX ${releases}_by_age \\(guild_id=\\? AND claimed_at<\\?\\)`),
    ],
  };
}

const SQLITE_PLANS: Record<string, RegExp[]> = {
  heads: [/^SCAN json_each/, NEWEST],
  read: [/votes_by_seq \(guild_id=\? AND seq>\?\)/],
  startAt: [/^SEARCH hourly_votes USING PRIMARY KEY \(guild_id=\? AND hour>\?\)/, NEWEST],
  history: [
    /^SCAN CONSTANT ROW/,
    /^SCAN feed_epochs/,
    /^SEARCH vote_sequences USING PRIMARY KEY \(guild_id=\?\)/,
    /^SEARCH votes USING COVERING INDEX votes_by_seq \(guild_id=\? AND seq=\?\)/,
    /^SEARCH voided_votes USING COVERING INDEX voided_votes_by_seq \(guild_id=\? AND seq=\?\)/,
  ],
  pruneKeys: [
    /USING INTEGER PRIMARY KEY \(rowid=\?\)/,
    /COVERING INDEX idempotency_keys_by_age \(created_at<\?\)/,
  ],
  findClaimState: [
    /^SEARCH g USING PRIMARY KEY \(guild_id=\?\)/,
    /^SEARCH k USING INDEX sqlite_autoindex_idempotency_keys_1 \(guild_id=\? AND key=\?\)/,
    /^SEARCH c USING INDEX vote_claims_by_id \(<expr>=\?\)/,
    /^SEARCH c USING INDEX consumer_claims_by_id \(<expr>=\?\)/,
    /^SEARCH r .*USING.* \(guild_id=\?\)/,
    /^SEARCH r .*USING.* \(guild_id=\?\)/,
    /^SEARCH w .*USING PRIMARY KEY \(guild_id=\?\)/,
  ],
  findCastState: [
    /^SEARCH g USING PRIMARY KEY \(guild_id=\?\)/,
    /^SEARCH c USING PRIMARY KEY \(guild_id=\? AND user_id=\?\)/,
    /^SEARCH s USING PRIMARY KEY \(guild_id=\?\)/,
    /^SEARCH feed_epochs/,
    /^SEARCH voter_bans .*PRIMARY KEY \(user_id=\?\)/,
    /^SEARCH r .*PRIMARY KEY \(guild_id=\? AND user_id=\?\)/,
    /^SEARCH v .*PRIMARY KEY \(guild_id=\?\)/,
    /^SEARCH v .*PRIMARY KEY \(guild_id=\?\)/,
    /^SEARCH w .*PRIMARY KEY \(guild_id=\?\)/,
  ],
};

test('claims and the feed on SQLite use indexes, without sorting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-plans-'));
  const path = join(folder, 'votary.db');
  await migrateDatabase({ kind: 'sqlite', path });
  const db = new Database(path);
  const others = {
    ...SQLITE_FEED,
    pruneKeys: PRUNE_KEYS,
    findClaimState: FIND_CLAIM_STATE,
    findCastState: FIND_CAST_STATE,
  };
  const queries = new Map<string, { sql: string; expected: RegExp[] }>();
  for (const [name, sql] of Object.entries(others))
    queries.set(name, { sql, expected: SQLITE_PLANS[name] ?? [] });
  for (const scope of CLAIM_SCOPES) {
    const plans = claimPlans(scope);
    const ofScope = {
      ...SQLITE_CLAIMS[scope],
      ...claimable(SQLITE_CLAIMABLE[scope]),
      ...SQLITE_STATEMENTS[scope],
    };
    for (const [name, sql] of Object.entries(ofScope))
      queries.set(`${name} ${scope}`, { sql, expected: plans[name] ?? [/none/] });
  }
  for (const [name, { sql: text, expected }] of queries) {
    const sql = text.replace(/@\w+|\?/g, 'NULL');
    const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
    const lines = plan.map((row) => row.detail);
    const reads = lines.filter((line) => /^(SEARCH|SCAN) /.test(line));
    assert.equal(reads.length, expected.length, `${name}: ${reads}`);
    for (const [i, pattern] of expected.entries()) assert.match(reads[i] ?? '', pattern, name);
    assert.doesNotMatch(lines.join('\n'), /TEMP B-TREE/, name);
  }
  assert.equal(Object.keys(others).length, Object.keys(SQLITE_PLANS).length);
  db.close();
  await rm(folder, { recursive: true });
});

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
    claimableOfUsers: ['votes_by_user', claim],
    claimableOfNames: ['votes_by_external_id', claim],
    claimableLimitedByName: ['votes_by_external_id', byName],
    pending: ['votes_pkey', claim],
    release: ['guilds_pkey', unique],
    times: [claim],
    add: ['votes_by_user', 'webhook_endpoints_pkey'],
    delay: [`${releases}_pkey`, unique],
    findHeld: [claim, 'votes_by_user'],
  };
}

const UNIQUE_INDEX = {
  default: 'vote_claims_guild_id_vote_id_key',
  named: 'consumer_claims_guild_id_vote_id_consumer_key',
};

const POSTGRES_PLANS: Record<string, string[]> = {
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
  castClaim: [
    ...['voter_bans_pkey', 'guilds_pkey', 'feed_epochs_pkey', 'feed_epochs_pkey'],
    ...['webhook_endpoints_pkey', 'vote_goals_pkey', 'voter_roles_pkey'],
  ],
  castInsert: ['votes_by_external_id', 'reminders_pkey'],
  castExplain: ['voter_bans_pkey', 'cooldowns_pkey'],
  goalCount: ['reached_goals_pkey', 'monthly_votes_pkey', 'hourly_votes_pkey'],
  goalReach: [],
  goalLockParties: ['vote_goals_pkey'],
  goalCountParties: ['vote_goals_pkey'],
  goalCorrectParty: ['vote_goals_pkey'],
  markRoleChecks: ['voter_roles_pkey', 'voter_roles_pkey'],
  enterNetworks: [],
};

test('claims and the feed on PostgreSQL use indexes', async () => {
  const { url, drop } = await createMigratedDatabase();
  const connections = new Connections(url);
  const { claim, insert, explain } = CAST_STATEMENTS;
  const others = {
    ...POSTGRES_FEED,
    ...MANY_QUERIES,
    ...GROUP_STATEMENTS,
    ...{ castClaim: claim, castInsert: insert, castExplain: explain },
    goalCount: GOAL_STATEMENTS.count,
    goalReach: GOAL_STATEMENTS.reach,
    goalLockParties: GOAL_STATEMENTS.lockParties,
    goalCountParties: GOAL_STATEMENTS.countParties,
    goalCorrectParty: GOAL_STATEMENTS.correctParty,
    markRoleChecks: MARK_ROLE_CHECKS,
    totals: TOTALS,
    enterNetworks: ENTER_NETWORKS,
  };
  const queries = Object.entries(others).map(([name, sql]) => ({
    name,
    sql,
    expected: POSTGRES_PLANS[name],
  }));
  for (const scope of CLAIM_SCOPES) {
    const plans = groupPlans(scope);
    const { ofUsers, ofNames, limitedByName } = OPEN_QUERIES[scope];
    const { pruneReleases: _, ...statements } = CLAIM_STATEMENTS[scope];
    const ofScope = {
      ...statements,
      ...ADD_STATEMENTS[scope],
      ...claimable(POSTGRES_CLAIMABLE[scope]),
      ...{ openOfUsers: ofUsers, openOfNames: ofNames, openLimitedByName: limitedByName },
    };
    for (const [name, sql] of Object.entries(ofScope))
      queries.push({ name: `${name} ${scope}`, sql, expected: plans[name] });
  }
  await connections.transaction(async (inside) => {
    // The tables are empty, so a full scan would be cheap: only the choice of index is checked.
    await inside.query({ text: 'SET LOCAL enable_seqscan = off' });
    await inside.query({ text: 'SET LOCAL enable_bitmapscan = off' });
    await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
    await checkPlans(inside, queries);
    // Statistics from before the first claim, as of a database that was copied or vacuumed, make all indexes seem equal.
    await inside.query({ text: 'ANALYZE' });
    await checkPlans(
      inside,
      queries.filter(({ name }) => /^(?:open|claimable|claimed|pending)/.test(name)),
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
      assert.match(condition, /guild_id = .*cast_at >?= .*user_id = /, name);
    assert.doesNotMatch(plan, /Seq Scan/, name);
  }
  await tx.query({ text: 'DEALLOCATE ALL' });
}

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { migrateDatabase } from '../../../src/store/open.ts';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { CAST_STATEMENTS } from '../../../src/store/postgres/votes/cast.ts';
import { GROUP_STATEMENTS } from '../../../src/store/postgres/votes/claim-votes.ts';
import {
  OPEN_QUERIES,
  CLAIMABLE_QUERIES as POSTGRES_CLAIMABLE,
} from '../../../src/store/postgres/votes/claimable.ts';
import {
  CLAIM_STATEMENTS,
  CLAIM_QUERIES as POSTGRES_CLAIMS,
} from '../../../src/store/postgres/votes/claims.ts';
import { ENTER_NETWORKS } from '../../../src/store/postgres/votes/enter-networks.ts';
import { FEED_QUERIES as POSTGRES_FEED } from '../../../src/store/postgres/votes/feed.ts';
import { GOAL_STATEMENTS } from '../../../src/store/postgres/votes/goals.ts';
import { MANY_QUERIES } from '../../../src/store/postgres/votes/votes.ts';
import { CLAIM_QUERIES as SQLITE_CLAIMS } from '../../../src/store/sqlite/votes/claim-reader.ts';
import { FIND_KEY } from '../../../src/store/sqlite/votes/claim-votes.ts';
import { CLAIMABLE_QUERIES as SQLITE_CLAIMABLE } from '../../../src/store/sqlite/votes/claimable.ts';
import { PENDING, PRUNE_KEYS, PRUNE_RELEASES, TIMES } from '../../../src/store/sqlite/votes/claims.ts';
import { FEED_QUERIES as SQLITE_FEED } from '../../../src/store/sqlite/votes/feed.ts';
import { createMigratedDatabase } from '../../support/postgres/postgres.ts';

const OF_USER = /votes_by_user \(guild_id=\? AND user_id=\? AND cast_at>\? AND cast_at<\?\)/;
const OF_NAME = /votes_by_external_id \(guild_id=\? AND name_key=\? AND cast_at>\? AND cast_at<\?\)/;
const CLAIM = /^SEARCH c USING PRIMARY KEY \(guild_id=\? AND cast_at=\? AND user_id=\?\)/;
const CLAIM_OF_NAME = /vote_claims_by_name \(guild_id=\? AND name_key=\? AND cast_at>\? AND cast_at<\?\)/;
const NEWEST = /COVERING INDEX votes_by_seq \(guild_id=\? AND seq>\?\)/;

/** Under names of their own, because some are also the names of queries for one identity. */
function claimable({ ofUsers, ofNames, limitedByName }: Record<keyof typeof SQLITE_CLAIMABLE, string>) {
  return {
    claimableOfUsers: ofUsers,
    claimableOfNames: ofNames,
    claimableLimitedByName: limitedByName,
  };
}

/** Each line of a plan that reads a table, in order. */
const SQLITE_PLANS = {
  openOfUser: [OF_USER, CLAIM],
  openOfName: [OF_NAME, CLAIM],
  claimedOfUser: [OF_USER, CLAIM],
  claimedOfName: [OF_NAME, CLAIM],
  firstOfName: [OF_NAME],
  lastClaimOfName: [CLAIM_OF_NAME],
  claimableOfUsers: [/^SCAN asked/, OF_USER, CLAIM],
  claimableOfNames: [/^SCAN asked/, OF_NAME, CLAIM],
  claimableLimitedByName: [
    /^SCAN asked/,
    /^SCAN CONSTANT ROW/,
    /^SCAN steps/,
    /^SEARCH v USING COVERING INDEX votes_by_external_id \(guild_id=\? AND name_key=\? AND cast_at=\? AND user_id=\?\)/,
    OF_NAME,
    CLAIM_OF_NAME,
    /^SCAN steps/,
  ],
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
  pending: [/^SEARCH v USING PRIMARY KEY \(guild_id=\? AND \(cast_at,user_id\)>\(\?,\?\)/, CLAIM],
  times: [/^SCAN asked/, CLAIM],
  pruneKeys: [
    /PRIMARY KEY/,
    /^SCAN g/,
    /COVERING INDEX idempotency_keys_by_age \(guild_id=\? AND created_at<\?\)/,
  ],
  pruneReleases: [
    /PRIMARY KEY/,
    /^SCAN g/,
    /COVERING INDEX released_claims_by_age \(guild_id=\? AND claimed_at<\?\)/,
  ],
  findKey: [
    /^SEARCH k USING PRIMARY KEY \(guild_id=\? AND key=\?\)/,
    /^SEARCH c USING INDEX sqlite_autoindex_vote_claims_2 \(guild_id=\? AND vote_id=\?\)/,
  ],
} satisfies Record<string, RegExp[]>;

test('claims and the feed on SQLite use indexes, without sorting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-plans-'));
  const path = join(folder, 'votary.db');
  await migrateDatabase({ kind: 'sqlite', path });
  const db = new Database(path);
  const queries = new Map(
    Object.entries({
      ...SQLITE_CLAIMS,
      ...SQLITE_FEED,
      ...claimable(SQLITE_CLAIMABLE),
      pending: PENDING,
      pruneKeys: PRUNE_KEYS,
      pruneReleases: PRUNE_RELEASES,
      findKey: FIND_KEY,
      times: TIMES,
    }),
  );
  for (const [name, expected] of Object.entries(SQLITE_PLANS)) {
    const sql = (queries.get(name) ?? '').replace(/@\w+|\?/g, 'NULL');
    const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
    const lines = plan.map((row) => row.detail);
    const reads = lines.filter((line) => /^(SEARCH|SCAN) /.test(line));
    assert.equal(reads.length, expected.length, `${name}: ${reads}`);
    for (const [i, pattern] of expected.entries()) assert.match(reads[i] ?? '', pattern, name);
    assert.doesNotMatch(lines.join('\n'), /TEMP B-TREE/, name);
  }
  assert.equal(queries.size, Object.keys(SQLITE_PLANS).length);
  db.close();
  await rm(folder, { recursive: true });
});

const POSTGRES_PLANS: Record<string, string[]> = {
  openOfUsers: ['votes_by_user', 'vote_claims_pkey'],
  openOfNames: ['votes_by_external_id', 'vote_claims_pkey'],
  claimedOfUser: ['votes_by_user', 'vote_claims_pkey'],
  claimedOfName: ['votes_by_external_id', 'vote_claims_pkey'],
  openLimitedByName: ['votes_by_external_id', 'vote_claims_by_name'],
  claimableOfUsers: ['votes_by_user', 'vote_claims_pkey'],
  claimableOfNames: ['votes_by_external_id', 'vote_claims_pkey'],
  claimableLimitedByName: ['votes_by_external_id', 'vote_claims_by_name'],
  heads: ['votes_by_seq'],
  read: ['feed_epochs_pkey', 'vote_sequences_pkey', 'votes_by_seq', 'voided_votes_by_seq', 'votes_by_seq'],
  startAt: ['votes_by_seq', 'hourly_votes_pkey'],
  userId: ['votes_by_user'],
  externalId: ['votes_by_external_id'],
  pending: ['votes_pkey', 'vote_claims_pkey'],
  release: ['guilds_pkey', 'vote_claims_guild_id_vote_id_key'],
  times: ['vote_claims_pkey'],
  lock: ['guilds_pkey'],
  takeKeys: [],
  findKeys: ['idempotency_keys_pkey', 'vote_claims_guild_id_vote_id_key'],
  retakeKeys: ['idempotency_keys_pkey'],
  keepBodies: ['idempotency_keys_pkey'],
  add: ['votes_by_user', 'webhook_endpoints_pkey'],
  castClaim: ['voter_bans_pkey', 'guilds_pkey'],
  castInsert: [
    'feed_epochs_pkey',
    'feed_epochs_pkey',
    'votes_by_external_id',
    'reminders_pkey',
    'webhook_endpoints_pkey',
    'vote_goals_pkey',
  ],
  castTotals: ['votes_by_user', 'votes_by_user'],
  castExplain: ['voter_bans_pkey', 'cooldowns_pkey'],
  goalCount: ['reached_goals_pkey', 'monthly_votes_pkey', 'hourly_votes_pkey'],
  goalReach: [],
  goalLockParties: ['vote_goals_pkey'],
  goalCountParties: ['vote_goals_pkey'],
  goalCorrectParty: ['vote_goals_pkey'],
  enterNetworks: [],
  delay: ['released_claims_pkey', 'vote_claims_guild_id_vote_id_key'],
};

test('claims and the feed on PostgreSQL use indexes', async () => {
  const { url, drop } = await createMigratedDatabase();
  const connections = new Connections(url);
  const { pending, release, times } = CLAIM_STATEMENTS;
  const { ofUsers, ofNames, limitedByName } = OPEN_QUERIES;
  const { claim, insert, totals, explain } = CAST_STATEMENTS;
  const queries = Object.entries({
    ...POSTGRES_CLAIMS,
    ...POSTGRES_FEED,
    ...claimable(POSTGRES_CLAIMABLE),
    ...MANY_QUERIES,
    ...{ pending, release, times },
    ...{ openOfUsers: ofUsers, openOfNames: ofNames, openLimitedByName: limitedByName },
    ...GROUP_STATEMENTS,
    ...{ castClaim: claim, castInsert: insert, castTotals: totals, castExplain: explain },
    goalCount: GOAL_STATEMENTS.count,
    goalReach: GOAL_STATEMENTS.reach,
    goalLockParties: GOAL_STATEMENTS.lockParties,
    goalCountParties: GOAL_STATEMENTS.countParties,
    goalCorrectParty: GOAL_STATEMENTS.correctParty,
    enterNetworks: ENTER_NETWORKS,
  });
  await connections.transaction(async (inside) => {
    // The tables are empty, so a full scan would be cheap: only the choice of index is checked.
    await inside.query({ text: 'SET LOCAL enable_seqscan = off' });
    await inside.query({ text: 'SET LOCAL enable_bitmapscan = off' });
    await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
    for (const [name, sql] of queries) {
      await inside.query({ text: `PREPARE "plan ${name}" AS ${sql}` });
      const count = new Set(sql.match(/\$\d+/g)).size;
      const { rows } = await inside.query({
        text: `EXPLAIN EXECUTE "plan ${name}" (${Array(count).fill('NULL')})`,
      });
      const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
      const used = Array.from(plan.matchAll(/using (\w+) on/g), (match) => match[1]);
      assert.deepEqual(used, POSTGRES_PLANS[name], `${name}\n${plan}`);
      // Claims are looked up by their whole key.
      for (const [condition] of plan.matchAll(
        /Index Cond: .*c\.cast_at.*|vote_claims_pkey.*\n.*Index Cond.*/g,
      ))
        assert.match(condition, /guild_id = .*cast_at = .*user_id = /, name);
      assert.doesNotMatch(plan, /Seq Scan/, name);
    }
  });
  await connections.close();
  await drop();
});

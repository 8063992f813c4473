import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { CLAIM_SCOPES, CLAIM_TABLES, type ClaimScope } from '../../../src/store/claims/claim-tables.ts';
import { migrateDatabase } from '../../../src/store/open.ts';
import { FIND_STATE as FIND_CAST_STATE } from '../../../src/store/sqlite/votes/cast.ts';
import { CLAIM_QUERIES } from '../../../src/store/sqlite/votes/claim-reader.ts';
import { FIND_STATE as FIND_CLAIM_STATE } from '../../../src/store/sqlite/votes/claim-votes.ts';
import { CLAIMABLE_QUERIES } from '../../../src/store/sqlite/votes/claimable.ts';
import { CLAIM_STATEMENTS, PRUNE_KEYS } from '../../../src/store/sqlite/votes/claims.ts';
import { FEED_QUERIES } from '../../../src/store/sqlite/votes/feed.ts';

const OF_USER = /votes_by_user \(guild_id=\? AND user_id=\? AND cast_at>\? AND cast_at<\?\)/;
const OF_NAME = /votes_by_external_id \(guild_id=\? AND name_key=\? AND cast_at>\? AND cast_at<\?\)/;
const NEWEST = /COVERING INDEX votes_by_seq \(guild_id=\? AND seq>\?\)/;

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

const PLANS: Record<string, RegExp[]> = {
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
    ...FEED_QUERIES,
    pruneKeys: PRUNE_KEYS,
    findClaimState: FIND_CLAIM_STATE,
    findCastState: FIND_CAST_STATE,
  };
  const queries = new Map<string, { sql: string; expected: RegExp[] }>();
  for (const [name, sql] of Object.entries(others)) queries.set(name, { sql, expected: PLANS[name] ?? [] });
  for (const scope of CLAIM_SCOPES) {
    const plans = claimPlans(scope);
    const { ofUsers, ofNames, limitedByName } = CLAIMABLE_QUERIES[scope];
    const ofScope = {
      ...CLAIM_QUERIES[scope],
      // Some of these names are also those of queries for one identity.
      ...{ claimableOfUsers: ofUsers, claimableOfNames: ofNames, claimableLimitedByName: limitedByName },
      ...CLAIM_STATEMENTS[scope],
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
  assert.equal(Object.keys(others).length, Object.keys(PLANS).length);
  db.close();
  await rm(folder, { recursive: true });
});

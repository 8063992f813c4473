import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { migrateDatabase } from '../../../src/store/open.ts';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { UNUSUAL_QUERIES as POSTGRES_UNUSUAL } from '../../../src/store/postgres/moderation/integrity.ts';
import { OPERATOR_QUERIES as POSTGRES_OPERATOR } from '../../../src/store/postgres/moderation/operator.ts';
import { UNUSUAL_QUERIES as SQLITE_UNUSUAL } from '../../../src/store/sqlite/moderation/integrity.ts';
import { OPERATOR_QUERIES as SQLITE_OPERATOR } from '../../../src/store/sqlite/moderation/operator.ts';
import { createTestDatabase } from '../../support/postgres/postgres.ts';

const MARKED = /COVERING INDEX votes_marked \(guild_id=\? AND cast_at>\?\)/;
const ONE_VOTE = /^SEARCH votes USING PRIMARY KEY \(guild_id=\? AND cast_at=\? AND user_id=\?\)/;

/** Each line of a plan that reads a table, in order. Only small or partial indexes are scanned. */
const SQLITE_PLANS = {
  communities: [
    /^SEARCH guilds USING COVERING INDEX guilds_by_name \(\(name_folded,guild_id\)>\(\?,\?\)\)/,
    /INDEX guilds_removed/,
    /^SCAN page/,
    /^SEARCH guilds USING PRIMARY KEY \(guild_id=\?\)/,
    /^SEARCH m USING PRIMARY KEY \(guild_id=\? AND month=\?\)/,
  ],
  counts: [
    /INDEX guilds_removed/,
    /^SCAN removed/,
    /^SCAN guilds USING COVERING INDEX/,
    /INDEX guilds_sanctioned/,
    /INDEX guilds_unlisted/,
    /^SCAN voter_bans/,
    /COVERING INDEX webhook_deliveries_due/,
  ],
  failing: [/INDEX webhook_endpoints_failing/],
  batches: [/INDEX void_batches_by_time \(\(created_at,batch\)<\(\?,\?\)\)/],
  scan: [/COVERING INDEX votes_marked_by_time \(\(cast_at,guild_id,user_id\)<\(\?,\?,\?\)\)/],
  marked: [ONE_VOTE],
  days: [MARKED],
  sharedNames: [MARKED, /^SCAN newest/, ONE_VOTE],
  busyNetworks: [MARKED, /^SCAN newest/, ONE_VOTE],
  hourly: [/^SEARCH hourly_votes USING PRIMARY KEY \(guild_id=\? AND hour>\? AND hour<\?\)/],
} satisfies Record<string, RegExp[]>;

test('the operator console on SQLite never reads a whole table that grows with votes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-plans-'));
  const path = join(folder, 'votary.db');
  await migrateDatabase({ kind: 'sqlite', path });
  const db = new Database(path);
  const queries = new Map<string, string>(Object.entries({ ...SQLITE_OPERATOR, ...SQLITE_UNUSUAL }));
  assert.deepEqual([...queries.keys()].sort(), Object.keys(SQLITE_PLANS).sort());
  for (const [name, expected] of Object.entries(SQLITE_PLANS)) {
    const sql = (queries.get(name) ?? '').replace(/@\w+|\?/g, 'NULL');
    const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all();
    const reads = plan
      .map((row) => row.detail)
      .filter((line) => /^(?:SCAN|SEARCH) (?!\(subquery)/.test(line));
    assert.equal(reads.length, expected.length, `${name}: ${reads.join(' | ')}`);
    for (const [i, pattern] of expected.entries()) assert.match(reads[i] ?? '', pattern, name);
  }
  db.close();
  await rm(folder, { recursive: true });
});

/** The index of each query, and the columns used for the lookup. */
const POSTGRES_PLANS: Record<string, RegExp[]> = {
  communities: [/Index Scan using guilds_by_name/, /Index Scan using monthly_votes_pkey/],
  failing: [/using webhook_endpoints_failing/],
  batches: [/Index Scan Backward using void_batches_by_time/],
  scan: [/Index Only Scan Backward using votes_marked_by_time/],
  marked: [/Index Scan using votes_(?:pkey|by_user)/],
  days: [/using votes_marked on/],
  sharedNames: [/using votes_marked on/],
  busyNetworks: [/using votes_marked on/],
  hourly: [/using hourly_votes_pkey/],
};

test('the operator console on PostgreSQL never reads a whole table that grows with votes', async () => {
  const { url, drop } = await createTestDatabase();
  await migrateDatabase({ kind: 'postgres', url });
  const connections = new Connections(url);
  await connections.transaction(async (inside) => {
    // The tables are empty, so a full scan would be cheap: only the choice of index is checked.
    await inside.query({ text: 'SET LOCAL enable_seqscan = off' });
    await inside.query({ text: 'SET LOCAL enable_bitmapscan = off' });
    await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
    const queries = new Map<string, string>(Object.entries({ ...POSTGRES_OPERATOR, ...POSTGRES_UNUSUAL }));
    for (const [name, expected] of Object.entries(POSTGRES_PLANS)) {
      const sql = queries.get(name) ?? '';
      const isList = (parameter: string) =>
        sql.includes(`${parameter}::text[]`) || sql.includes(`${parameter}::bigint[]`);
      const values = [...new Set(sql.match(/\$\d/g))]
        .sort()
        .map((parameter) => (isList(parameter) ? "'{1}'" : "'1'"));
      await inside.query({ text: `PREPARE plan_${name} AS ${sql}` });
      const { rows } = await inside.query({
        text: `EXPLAIN EXECUTE plan_${name} (${values})`,
      });
      const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
      for (const pattern of expected) assert.match(plan, pattern, name);
      assert.doesNotMatch(plan, /Seq Scan on/, name);
    }
  });
  await connections.close();
  await drop();
});

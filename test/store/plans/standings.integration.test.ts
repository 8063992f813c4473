import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { migrateDatabase } from '../../../src/store/open.ts';
import { Connections } from '../../../src/store/postgres/connection/connection.ts';
import { RANKING_QUERIES as POSTGRES_RANKINGS } from '../../../src/store/postgres/votes/rankings.ts';
import { STANDING_QUERIES as POSTGRES_STANDING, RANK } from '../../../src/store/postgres/votes/standing.ts';
import { NAME_RANKING, NEWEST_SPELLING, VOTER_RANKING } from '../../../src/store/sqlite/votes/rankings.ts';
import { STANDING_QUERIES as SQLITE_STANDING } from '../../../src/store/sqlite/votes/standing.ts';
import { createMigratedDatabase } from '../../support/postgres/postgres.ts';

const ASKED = {
  ...{ guildId: '1', userId: '1', after: '1', from: 1, to: 1, month: 1 },
  ...{
    now: 1,
    today: 1,
    afterCastAt: 1,
    afterUserId: '1',
    limit: 1,
    least: 1,
    entries: 1,
    last: '1',
    id: '1',
    ranges: '[]',
  },
};

test('standings and rankings on SQLite use indexes, and never read a whole table or all votes of a guild', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'votary-plans-'));
  const path = join(folder, 'votary.db');
  await migrateDatabase({ kind: 'sqlite', path });
  const db = new Database(path);
  const queries = [SQLITE_STANDING, VOTER_RANKING, NAME_RANKING, { newest: NEWEST_SPELLING }];
  for (const [name, sql] of queries.flatMap((some) => Object.entries(some))) {
    const plan = db.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(ASKED);
    const reads = plan.map((row) => row.detail).filter((detail) => /votes/.test(detail));
    assert.ok(reads.length > 0, name);
    for (const read of reads) {
      assert.match(
        read,
        /^SEARCH \w+ (EXISTS )?USING .*\(guild_id=\? AND \(?(cast_at|hour|month|user_id|name_key)[>=,]/,
        `${name}: ${read}`,
      );
    }
  }
  db.close();
  await rm(folder, { recursive: true });
});

test('standings and rankings on PostgreSQL use indexes, and never read a whole table or all votes of a guild', async () => {
  const { url, drop } = await createMigratedDatabase();
  const connections = new Connections(url);
  await connections.transaction(async (inside) => {
    // The tables are empty, so a full scan would be cheap: only the choice of index is checked.
    await inside.query({ text: 'SET LOCAL enable_seqscan = off' });
    await inside.query({ text: 'SET LOCAL enable_bitmapscan = off' });
    await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
    for (const [name, sql] of Object.entries({
      ...POSTGRES_STANDING,
      topVoters: POSTGRES_RANKINGS.topVoters,
    })) {
      const count = new Set(sql.match(/\$\d/g)).size;
      await inside.query({ text: `PREPARE plan_${name} AS ${sql}` });
      const { rows } = await inside.query({
        text: `EXPLAIN EXECUTE plan_${name} (${Array(count).fill("'1'")})`,
      });
      const plan = rows.map((row) => String(row['QUERY PLAN']));
      const conditions = plan.filter((line) => /Index Cond/.test(line));
      assert.ok(conditions.length > 0, name);
      for (const condition of conditions) {
        assert.match(
          condition,
          /guild_id = \$1.* AND \(\(?(cast_at|hour|month|user_id) /,
          `${name}: ${condition}`,
        );
      }
      assert.doesNotMatch(plan.join('\n'), /Seq Scan|Filter: (?!\(\(SubPlan)/, name);
    }
    await inside.query({ text: `PREPARE plan_rank AS ${RANK}` });
    const ranked = await inside.query({ text: "EXPLAIN EXECUTE plan_rank ('1', '1', '1', '1', '1')" });
    const rankPlan = ranked.rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    assert.match(rankPlan, /guild_id = \$1.* AND \(cast_at /);
    assert.doesNotMatch(rankPlan, /Seq Scan on/);
    await inside.query({ text: `PREPARE plan_names AS ${POSTGRES_RANKINGS.topNames}` });
    const { rows } = await inside.query({ text: "EXPLAIN EXECUTE plan_names ('1', '1', '1', '1')" });
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    assert.match(plan, /guild_id = \$1.* AND \(cast_at /);
    assert.match(plan, /guild_id = \$1.* AND \(name_key = /);
    assert.doesNotMatch(plan, /Seq Scan on/);
  });
  await connections.close();
  await drop();
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADMIT, ADMIT_BY_NAME } from '../../../src/store/postgres/admit-statement.ts';
import { useFreshDatabase } from './fresh-database.ts';

/** The parameters, without names. */
const ONE_LOOKUP = `${Array(7).fill("'{1}'").join(', ')}, 1`;

describe('the combined query of a request', () => {
  const fresh = useFreshDatabase();

  test('uses the intended indexes', async () => {
    await fresh.connections.transaction(async (inside) => {
      await inside.query({ text: 'SET LOCAL enable_seqscan = off' });
      await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
      await inside.query({ text: `PREPARE plan_admit AS ${ADMIT_BY_NAME}` });
      const text = `EXPLAIN EXECUTE plan_admit (${ONE_LOOKUP}, '{1}', '{1}')`;
      const plan = (await inside.query({ text })).rows.map((row) => row['QUERY PLAN']).join('\n');
      for (const index of [
        'guilds_by_key_hash on guilds',
        'votes_by_user on votes',
        'votes_by_external_id on votes',
      ])
        assert.match(plan, new RegExp(`using ${index}`));
      assert.doesNotMatch(plan, /Seq Scan|Filter: (?!\(external_id = )/);
    });
  });

  test('is not planned again, however few lookups it has', async () => {
    await fresh.connections.transaction(async (inside) => {
      await inside.query({ text: `PREPARE planned_once AS ${ADMIT}` });
      // PostgreSQL plans the first five for their values, and then decides.
      for (let i = 0; i < 7; i += 1) await inside.query({ text: `EXECUTE planned_once (${ONE_LOOKUP})` });
      const { rows } = await inside.query({
        text: "SELECT generic_plans::int AS kept FROM pg_prepared_statements WHERE name = 'planned_once'",
      });
      assert.deepEqual(rows, [{ kept: 2 }]);
    });
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../support/postgres/postgres.ts';
import { assertHarmless, bombard } from './bombard.ts';

/** A prime, so that other places are left out for each run. */
const STRIDE = 17;
const REQUESTS = { sqlite: 2000, postgres: 1000 };

test(`${REQUESTS.sqlite} random hostile requests and a systematic series cause no 5xx, no HTML from the API, no stack trace, no hang and no CPU time above 50 ms`, (t) =>
  assertHarmless(t, { count: REQUESTS.sqlite, stride: STRIDE }));

test(`${REQUESTS.postgres} hostile requests cause no error on PostgreSQL, which does not accept NUL`, async (t) => {
  const { url, drop } = await createTestDatabase();
  t.after(drop);
  const counts = await bombard({ kind: 'postgres', url }, { count: REQUESTS.postgres });
  assert.deepEqual(counts.faults, []);
  assert.notEqual(counts.formsTaken, 0);
});

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '../../src/domain/clock.ts';
import { voteId } from '../../src/domain/votes/vote.ts';
import { type Observed, watchService } from '../../src/observability/gauges.ts';
import { countChanges } from '../../src/observability/metrics.ts';
import { createMetrics, type PrometheusMetrics } from '../../src/observability/prometheus.ts';
import type { Backlog } from '../../src/store/webhooks/store.ts';
import { addGuild, NOW, OTHER_USER, USER, voteOf } from '../store/fixtures.ts';
import { ANSWERED, addEndpoint, claimOne, REFUSED } from '../store/webhook-fixtures.ts';
import { openTemporaryStore } from '../support/sqlite.ts';

const NOTHING: Backlog = { due: 0, scheduled: 0, held: 0, dueSince: null };

function watch(
  observed: Partial<Observed> & { backlog?: () => Promise<Backlog>; ping?: () => Promise<void> },
): PrometheusMetrics {
  const metrics = createMetrics();
  const { backlog = async () => NOTHING, ping = async () => {}, ...rest } = observed;
  watchService(metrics.registry, {
    clock: () => NOW,
    database: 'postgres',
    store: {
      ping,
      load: () => ({ waiting: 3, pool: { size: 10, used: 8, idle: 2 } }),
      maintenance: { find: async () => undefined, begin: async () => {}, end: async () => false },
      webhooks: { backlog },
    },
    feedWaiters: { size: 5 },
    webhooks: { inProgress: 4 },
    log: { dropped: 7 },
    ...rest,
  });
  return metrics;
}

/** The lines of these metrics, without help texts. */
async function linesOf(metrics: PrometheusMetrics, ...names: string[]): Promise<string[]> {
  const lines = (await metrics.text()).split('\n');
  return lines.filter((line) =>
    names.some((name) => line.startsWith(`${name} `) || line.startsWith(`${name}{`)),
  );
}

test('pool, waiting requests, dropped lines and certificate are read when they are scraped', async () => {
  const certificate = { expiresAt: NOW };
  const metrics = watch({ certificate });
  const names = ['votary_database_pool_connections', 'votary_database_pool_size', 'votary_database_waiting'];
  assert.deepEqual(await linesOf(metrics, ...names), [
    'votary_database_waiting 3',
    'votary_database_pool_size 10',
    'votary_database_pool_connections{state="used"} 8',
    'votary_database_pool_connections{state="idle"} 2',
  ]);
  const expiry = 'votary_certificate_expiry_timestamp_seconds';
  assert.deepEqual(await linesOf(metrics, expiry), [`${expiry} ${NOW / SECOND_MS}`]);
  certificate.expiresAt += MINUTE_MS;
  assert.deepEqual(await linesOf(metrics, expiry), [`${expiry} ${NOW / SECOND_MS + 60}`]);
  assert.deepEqual(
    await linesOf(
      metrics,
      'votary_feed_waiters',
      'votary_webhook_attempts_in_progress',
      'votary_log_lines_dropped_total',
    ),
    ['votary_log_lines_dropped_total 7', 'votary_webhook_attempts_in_progress 4', 'votary_feed_waiters 5'],
  );
});

test('the build is described by the labels of a metric that is always 1', async () => {
  const [line = ''] = await linesOf(watch({}), 'votary_build_info');
  assert.match(
    line,
    /^votary_build_info\{version="\d+\.\d+\.\d+[^"]*",node="\d+[.\d]+",database="postgres"\} 1$/,
  );
});

test('the webhook queue is read from the database at most every ten seconds', async () => {
  let now = NOW;
  let reads = 0;
  const backlog = async (): Promise<Backlog> => {
    reads += 1;
    return { due: 2, scheduled: 30, held: 4, dueSince: NOW - 90 * SECOND_MS };
  };
  const metrics = watch({ backlog, clock: () => now });
  const names = ['votary_webhook_deliveries_pending', 'votary_webhook_oldest_due_age_seconds'];
  assert.deepEqual(await linesOf(metrics, ...names, 'votary_database_up'), [
    'votary_database_up 1',
    'votary_webhook_deliveries_pending{state="due"} 2',
    'votary_webhook_deliveries_pending{state="scheduled"} 30',
    'votary_webhook_deliveries_pending{state="held"} 4',
    'votary_webhook_oldest_due_age_seconds 90',
  ]);
  now += 9 * SECOND_MS;
  await metrics.text();
  assert.equal(reads, 1);
  now += SECOND_MS;
  await metrics.text();
  assert.equal(reads, 2);
});

test('without the database the other metrics are served, and the queue is absent until it recovers', async () => {
  let isUp = false;
  const backlog = async (): Promise<Backlog> => {
    if (!isUp) throw new Error('the database is gone');
    return NOTHING;
  };
  const metrics = watch({ backlog });
  const names = ['votary_webhook_deliveries_pending', 'votary_webhook_oldest_due_age_seconds'];
  assert.deepEqual(await linesOf(metrics, ...names, 'votary_database_up'), ['votary_database_up 0']);
  assert.deepEqual(await linesOf(metrics, 'votary_feed_waiters'), ['votary_feed_waiters 5']);
  isUp = true;
  assert.equal((await linesOf(metrics, ...names, 'votary_database_up')).length, 5);
});

test('a database that does not accept writes is not up', async () => {
  const ping = async () => Promise.reject(new Error('the database is read-only'));
  assert.deepEqual(await linesOf(watch({ ping }), 'votary_database_up'), ['votary_database_up 0']);
});

test('a database that hangs delays a scrape by two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const metrics = watch({ backlog: () => new Promise(() => {}) });
  const lines = linesOf(metrics, 'votary_database_up');
  t.mock.timers.tick(2 * SECOND_MS);
  assert.deepEqual(await lines, ['votary_database_up 0']);
});

async function openCounted(t: TestContext) {
  const metrics = createMetrics();
  const { store, close } = await openTemporaryStore();
  t.after(close);
  return { metrics, store: countChanges(store, metrics) };
}

test('claims are counted as claimed, empty, replayed, mismatch and released', async (t) => {
  const { store, metrics } = await openCounted(t);
  const guildId = await addGuild(store);
  await store.votes.cast(voteOf(guildId));
  const claim = (requestHash: string, key = 'one') =>
    store.claims.claim({
      guildId,
      identity: { userId: USER },
      window: { after: NOW - MINUTE_MS, until: NOW },
      oneRewardPerName: true,
      consumer: 'default',
      playerNames: 'exact',
      now: NOW,
      idempotency: { key, requestHash },
      render: ({ vote }) => JSON.stringify({ vote }),
    });
  await claim('a');
  await claim('a');
  await claim('b');
  await claim('a', 'two');
  const claimed = voteId(voteOf(guildId));
  assert.equal(
    await store.claims.release({ guildId, consumer: 'default', voteId: claimed, claimedAt: null }),
    true,
  );
  assert.equal(
    await store.claims.release({ guildId, consumer: 'default', voteId: claimed, claimedAt: null }),
    false,
  );
  assert.deepEqual(await linesOf(metrics, 'votary_claims_total'), [
    'votary_claims_total{result="claimed"} 1',
    'votary_claims_total{result="empty"} 1',
    'votary_claims_total{result="replayed"} 1',
    'votary_claims_total{result="mismatch"} 1',
    'votary_claims_total{result="released"} 1',
  ]);
});

test('attempts to deliver webhooks are counted by result and timed', async (t) => {
  const { store, metrics } = await openCounted(t);
  const guildId = await addGuild(store);
  await addEndpoint(store, guildId);
  await store.votes.cast(voteOf(guildId));
  await store.votes.cast(voteOf(guildId, { userId: OTHER_USER }));
  const retry = { state: 'pending' as const, nextAttemptAt: NOW };
  await store.webhooks.finish(await claimOne(store, guildId), REFUSED, retry, 'fails');
  await store.webhooks.finish(await claimOne(store, guildId), REFUSED, { state: 'failed' }, 'fails');
  await store.webhooks.finish(await claimOne(store, guildId), ANSWERED, { state: 'delivered' }, 'works');
  assert.deepEqual(await linesOf(metrics, 'votary_webhook_attempts_total'), [
    'votary_webhook_attempts_total{result="delivered"} 1',
    'votary_webhook_attempts_total{result="retried"} 1',
    'votary_webhook_attempts_total{result="failed"} 1',
    'votary_webhook_attempts_total{result="skipped"} 0',
    'votary_webhook_attempts_total{result="uncertain"} 0',
  ]);
  const name = 'votary_webhook_attempt_duration_seconds';
  assert.deepEqual(await linesOf(metrics, `${name}_count`), [`${name}_count 3`]);
});

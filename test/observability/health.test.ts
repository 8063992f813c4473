import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { health } from '../../src/observability/health.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';

function serverOver(ping: () => Promise<void>, timeLimitMs = 2000) {
  const app = fastify();
  app.register(health, { store: { ping }, timeLimitMs });
  return app;
}

test('the process is alive even if its database is unavailable', async () => {
  const app = serverOver(() => Promise.reject(new Error('gone')));
  const answer = await app.inject('/healthz');
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.json(), { ok: true });
  assert.equal(answer.headers['cache-control'], 'no-store');
});

test('a service whose database responds is ready', async () => {
  const answer = await serverOver(async () => {}).inject('/readyz');
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.json(), { ok: true });
  assert.equal(answer.headers['cache-control'], 'no-store');
});

test('a service whose database fails is not ready, does not reveal the cause, and recovers by itself', async () => {
  let isGone = true;
  const app = serverOver(async () => {
    if (isGone) throw new Error('password authentication failed for user "votary"');
  });
  const answer = await app.inject('/readyz');
  assert.equal(answer.statusCode, 503);
  assert.deepEqual(answer.json(), { ok: false, reason: 'the database is not responding' });
  isGone = false;
  assert.equal((await app.inject('/readyz')).statusCode, 200);
});

test('a database that stores nothing is not ready, and the reason says why', async () => {
  for (const [kind, reason] of [
    ['read-only', 'the database is read-only'],
    ['full', 'the disk of the database is full'],
    ['unreachable', 'the database is not responding'],
  ] as const) {
    const app = serverOver(() => Promise.reject(new StoreUnavailableError(kind, new Error('10.1.2.3'))));
    const answer = await app.inject('/readyz');
    assert.deepEqual([answer.statusCode, answer.json()], [503, { ok: false, reason }]);
  }
});

test('a database that hangs counts as unavailable after the time limit, and is not queried again in the meantime', async () => {
  const { promise: hangs, resolve: wake } = Promise.withResolvers<void>();
  let pings = 0;
  const app = serverOver(() => {
    pings += 1;
    return hangs;
  }, 20);
  const answers = await Promise.all([app.inject('/readyz'), app.inject('/readyz')]);
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [503, 503],
  );
  assert.equal(pings, 1);
  wake();
  assert.equal((await app.inject('/readyz')).statusCode, 200);
});

test('probes can use HEAD', async () => {
  const app = serverOver(async () => {});
  for (const url of ['/healthz', '/readyz']) {
    assert.equal((await app.inject({ method: 'HEAD', url })).statusCode, 200);
  }
});

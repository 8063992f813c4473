import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import fastify from 'fastify';
import { ListenError } from '../../src/http/listen.ts';
import { requestMetrics } from '../../src/observability/metrics.ts';
import { startMetricsServer } from '../../src/observability/metrics-server.ts';
import { createMetrics } from '../../src/observability/prometheus.ts';

test('requests are counted by route and status, and timed by route', async () => {
  const metrics = createMetrics();
  const app = fastify();
  app.register(requestMetrics, { metrics });
  app.get('/v7/guild/votes/users/:user_id', () => ({ ok: true }));
  await app.inject('/v7/guild/votes/users/1');
  await app.inject('/v7/guild/votes/users/2');
  await nextTick();
  const text = await metrics.text();
  assert.match(
    text,
    /votary_http_requests_total\{route="\/v7\/guild\/votes\/users\/:user_id",status="200"\} 2/,
  );
  assert.match(
    text,
    /votary_http_request_duration_seconds_count\{route="\/v7\/guild\/votes\/users\/:user_id"\} 2/,
  );
});

test('each bucket counts requests that took at most its time, including those of smaller buckets', async () => {
  const metrics = createMetrics();
  for (const seconds of [0.0001, 0.0005, 0.003, 12]) metrics.observeRequest('/v7/vote-check', 200, seconds);
  const lines = (await metrics.text()).split('\n');
  const name = 'votary_http_request_duration_seconds';
  const bucket = (le: string) => `${name}_bucket{le="${le}",route="/v7/vote-check"} `;
  const numberAt = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length);
  assert.deepEqual(
    ['0.0005', '0.0025', '0.005', '10', '+Inf'].map((le) => numberAt(bucket(le))),
    ['2', '2', '3', '3', '4'],
  );
  assert.equal(numberAt(`${name}_count{route="/v7/vote-check"} `), '4');
  assert.equal(numberAt(`${name}_sum{route="/v7/vote-check"} `), '12.0036');
});

test('responses are counted by route and status', async () => {
  const metrics = createMetrics();
  metrics.observeRequest('/v7/vote-check', 200, 0.001);
  metrics.observeRequest('/v7/vote-check', 429, 0.001);
  metrics.observeRequest('/v7/vote-check', 200, 0.001);
  metrics.observeRequest('/', 200, 0.001);
  const counts = (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('votary_http_requests_total'));
  assert.deepEqual(counts, [
    'votary_http_requests_total{route="/v7/vote-check",status="200"} 2',
    'votary_http_requests_total{route="/v7/vote-check",status="429"} 1',
    'votary_http_requests_total{route="/",status="200"} 1',
  ]);
});

test('unknown paths share one label', async () => {
  const metrics = createMetrics();
  const app = fastify();
  app.register(requestMetrics, { metrics });
  for (const url of ['/wp-login.php', '/.env', '/v6/x?api_token=secret']) await app.inject(url);
  await nextTick();
  const text = await metrics.text();
  assert.match(text, /votary_http_requests_total\{route="unmatched",status="404"\} 3/);
  assert.doesNotMatch(text, /wp-login|env"|secret/);
});

test('votes and rate limit rejections are counted, from zero', async () => {
  const metrics = createMetrics();
  assert.match(await metrics.text(), /votary_votes_total\{outcome="accepted"\} 0/);
  metrics.voteCast('accepted');
  metrics.voteCast('refused');
  metrics.voteCast('refused');
  metrics.observeRequest('/v7/vote-check', 429, 0.001);
  metrics.observeRequest('/v7/vote-check', 200, 0.001);
  const text = await metrics.text();
  assert.match(text, /votary_votes_total\{outcome="accepted"\} 1/);
  assert.match(text, /votary_votes_total\{outcome="refused"\} 2/);
  assert.match(text, /votary_rate_limited_total 1/);
  assert.match(text, /process_resident_memory_bytes \d/);
});

test('two services in one process have separate metrics', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  one.observeRequest('/v7/vote-check', 429, 0.001);
  assert.match(await one.text(), /votary_rate_limited_total 1/);
  assert.match(await other.text(), /votary_rate_limited_total 0/);
});

test('only metrics are served on a separate loopback port', async () => {
  const server = await startMetricsServer(createMetrics(), { host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${base}/metrics`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(await answer.text(), /votary_rate_limited_total 0/);
  assert.equal((await fetch(`${base}/`)).status, 404);
  assert.equal((await fetch(`${base}/metrics/x`)).status, 404);
  assert.equal((await fetch(`${base}/metrics`, { method: 'POST' })).status, 404);
  await server.close();
  await assert.rejects(fetch(`${base}/metrics`));
});

test('metrics are rejected under a host name that is not this machine', async (t) => {
  const server = await startMetricsServer(createMetrics(), { host: '127.0.0.1', port: 0 });
  t.after(() => server.close());
  const ask = async (host: string) => {
    const request = get({ host: '127.0.0.1', port: server.port, path: '/metrics', headers: { host } });
    const [answer]: IncomingMessage[] = await once(request, 'response');
    assert.ok(answer);
    return { status: answer.statusCode, body: await text(answer) };
  };
  for (const host of ['localhost', 'LOCALHOST:9464', '127.0.0.1', '127.8.0.1:9464', '[::1]', '[::1]:9464']) {
    assert.equal((await ask(host)).status, 200, host);
  }
  const strangers = [
    'evil.example',
    'evil.example:9464',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '192.0.2.1',
    '[2001:db8::1]',
    '0.0.0.0',
    '127.0.0.1:x',
    'localhost:9464:1',
    'a@localhost',
  ];
  for (const host of strangers) {
    const { status, body } = await ask(host);
    assert.equal(status, 403, host);
    assert.match(body, /^The metrics are only served under localhost, 127\.0\.0\.1 or \[::1\]\.\n$/);
  }
});

test('metrics that listen for other machines are served under any host name', async (t) => {
  const server = await startMetricsServer(createMetrics(), { host: '0.0.0.0', port: 0 });
  t.after(() => server.close());
  const headers = { host: 'votary.internal:9464' };
  const request = get({ host: '127.0.0.1', port: server.port, path: '/metrics', headers });
  const [answer]: IncomingMessage[] = await once(request, 'response');
  answer?.resume();
  assert.equal(answer?.statusCode, 200);
});

test('a metrics port in use is reported with its variable', async (t) => {
  const other = await startMetricsServer(createMetrics(), { host: '127.0.0.1', port: 0 });
  t.after(() => other.close());
  await assert.rejects(
    startMetricsServer(createMetrics(), { host: '127.0.0.1', port: other.port }),
    (error) =>
      error instanceof ListenError && error.message.startsWith(`VOTARY_METRICS_PORT ${other.port} is in use`),
  );
});

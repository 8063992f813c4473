import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import fastify from 'fastify';
import pino from 'pino';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { createClientErrorHandler, refuseTunnels } from '../../src/http/client-errors.ts';
import { createMetrics } from '../../src/observability/prometheus.ts';
import { createClientErrorReport } from '../../src/observability/reports.ts';
import { loadCertificate, tlsOptions } from '../../src/secrets/certificate.ts';
import { exchange, parseAnswer, portOf, render, testConfig } from './support.ts';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n';

async function start(t: TestContext, http = {}) {
  const app = fastify({ clientErrorHandler: createClientErrorHandler(render), http });
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  app.get('/', () => ({ ok: true }));
  app.get('/held', async () => {
    arrived.resolve();
    await held.promise;
    return { ok: true };
  });
  app.post('/', () => ({ ok: true }));
  refuseTunnels(app.server, 'BAD_REQUEST', render);
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  return { port: portOf(app.server), held, arrived };
}

function assertRefused(text: string, status: number, code: Parameters<typeof render>[0]): void {
  const answer = parseAnswer(text);
  assert.equal(answer.status, status);
  assert.equal(answer.body, render(code, 'en').body);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)));
  assert.equal(answer.headers.connection, 'close');
}

test('malformed HTTP gets a 400 in the usual error format', async (t) => {
  const { port } = await start(t);
  assertRefused(await exchange(port, 'nonsense\r\n\r\n'), 400, 'BAD_REQUEST');
  assertRefused(await exchange(port, 'GET / HTTP/1.1\r\nBad Header: x\r\n\r\n'), 400, 'BAD_REQUEST');
  assertRefused(await exchange(port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 400, 'BAD_REQUEST');
});

test('headers above the limit get a 431, even if the client sends all of them before reading', async (t) => {
  const { port } = await start(t);
  const socket = connect(port, '127.0.0.1');
  const send = promisify(
    (bytes: string, done: (error?: Error | null) => void) => void socket.write(bytes, done),
  );
  await send(`${GET}X: ${'x'.repeat(8_000_000)}`);
  assertRefused(await exchange(port, '\r\n\r\n', socket), 431, 'HEADERS_TOO_LARGE');
});

test('a request that never completes gets a 408', async (t) => {
  const { port } = await start(t, {
    headersTimeout: 20,
    requestTimeout: 20,
    connectionsCheckingInterval: 10,
  });
  assertRefused(await exchange(port, GET), 408, 'REQUEST_TIMEOUT');
});

test('a malformed body gets a 400 although its request has started', async (t) => {
  const { port } = await start(t);
  const request =
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
  assertRefused(await exchange(port, `${request}nonsense\r\n`), 400, 'BAD_REQUEST');
});

test('garbage after a request does not affect its response, and is then rejected', async (t) => {
  const { port, held, arrived } = await start(t);
  const answers = exchange(port, 'GET /held HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
  await arrived.promise;
  held.resolve();
  const [first = '', second = ''] = (await answers).split(/(?=HTTP\/1\.1 400)/);
  assert.equal(parseAnswer(first).body, '{"ok":true}');
  assertRefused(second, 400, 'BAD_REQUEST');
});

test('garbage that keeps arriving while a response is pending is reported once', async (t) => {
  const reported: string[] = [];
  const app = fastify({
    clientErrorHandler: createClientErrorHandler(render, (code) => reported.push(code)),
  });
  const held = Promise.withResolvers<void>();
  let pending: ServerResponse | undefined;
  app.get('/held', async (_request, reply) => {
    pending = reply.raw;
    await held.promise;
    return { ok: true };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const port = portOf(app.server);
  const socket = connect(port, '127.0.0.1');
  const answers = exchange(port, 'GET /held HTTP/1.1\r\nHost: x\r\n\r\n', socket);
  for (let count = 0; count < 20; count += 1) {
    const refused = once(app.server, 'clientError');
    socket.write('nonsense\r\n\r\n');
    await refused;
  }
  const listeners = pending?.listenerCount('close') ?? 0;
  held.resolve();
  assert.match(await answers, /^HTTP\/1\.1 200 [\s\S]*\{"ok":true\}HTTP\/1\.1 400 /);
  assert.ok(listeners < 10, `${listeners} listeners`);
  assert.deepEqual(reported, ['BAD_REQUEST']);
});

test('a CONNECT request is rejected with a message', async (t) => {
  const { port } = await start(t);
  assertRefused(await exchange(port, 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'), 400, 'BAD_REQUEST');
});

test('a client that resets its connection causes no error', async (t) => {
  const { port } = await start(t);
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HT');
  await once(socket, 'connect');
  socket.resetAndDestroy();
  assert.equal(parseAnswer(await exchange(port, `${GET}Connection: close\r\n\r\n`)).status, 200);
});

test('malformed HTTP inside TLS gets the same response; a failed handshake gets none', async (t) => {
  const certificate = await loadCertificate(await testConfig(t), Date.now());
  const app = fastify({
    https: tlsOptions(certificate),
    clientErrorHandler: createClientErrorHandler(render),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const port = portOf(app.server);
  const socket = connectTls({ port, ca: certificate.cert });
  assertRefused(await exchange(port, 'nonsense\r\n\r\n', socket), 400, 'BAD_REQUEST');
  const distrusting = connectTls({ port });
  await assert.rejects(once(distrusting, 'secureConnect'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});

test('malformed requests are counted by error, and logged once a minute with network and reason', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics();
  let now = 0;
  const report = createClientErrorReport({ logger, metrics, clock: () => now });
  const app = fastify({ clientErrorHandler: createClientErrorHandler(render, report) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const port = portOf(app.server);
  const refused = { error: 'BAD_REQUEST', network: '127.0.0.1' };
  await exchange(port, 'nonsense\r\n\r\n');
  await exchange(port, 'nonsense\r\n\r\n');
  now += MINUTE_MS;
  await exchange(port, 'GET / HTTP/1.1\r\nBad Header: x\r\n\r\n');
  await exchange(port, `${GET}X: ${'x'.repeat(20_000)}\r\n\r\n`);
  const told = lines.map(({ error, reason, times, network }) => ({ error, reason, times, network }));
  assert.deepEqual(told, [
    { ...refused, reason: 'HPE_INVALID_METHOD', times: 1 },
    { ...refused, reason: 'HPE_INVALID_HEADER_TOKEN', times: 2 },
    { ...refused, error: 'HEADERS_TOO_LARGE', reason: 'HPE_HEADER_OVERFLOW', times: 1 },
  ]);
  const text = await metrics.text();
  assert.match(text, /votary_malformed_requests_total\{error="BAD_REQUEST"\} 3/);
  assert.match(text, /votary_malformed_requests_total\{error="HEADERS_TOO_LARGE"\} 1/);
  assert.match(text, /votary_malformed_requests_total\{error="REQUEST_TIMEOUT"\} 0/);
});

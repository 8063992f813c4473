import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { connect } from 'node:tls';
import fastify from 'fastify';
import { createLogger, loggingOptions } from '../../src/observability/logging.ts';
import { redactUrl } from '../../src/observability/redaction.ts';
import { createRequestLog, requestLog } from '../../src/observability/request-log.ts';
import { loadCertificate, tlsOptions } from '../../src/secrets/certificate.ts';
import { portOf, testConfig } from '../http/support.ts';
import { KEY, loggedServer, UUID } from './logged-server.ts';

test('a request is one line of JSON, with the id of its response', async () => {
  const { app, parsed } = loggedServer();
  const answer = await app.inject({
    url: '/v7/vote-check?discord_id=123456789012345678',
    remoteAddress: '192.0.2.1',
  });
  assert.match(String(answer.headers['x-request-id']), UUID);
  const [line, ...others] = await parsed();
  assert.deepEqual(others, []);
  const { time, pid, ms, ...rest } = line;
  assert.deepEqual(rest, {
    level: 'info',
    reqId: answer.headers['x-request-id'],
    method: 'GET',
    url: '/v7/vote-check?discord_id=123456789012345678',
    status: 200,
    ip: '192.0.2.1',
    msg: 'request',
  });
  assert.equal(pid, process.pid);
  assert.ok(Math.abs(Date.now() - time) < 60_000);
  assert.ok(ms >= 0);
});

test('a client that disconnects before its request is logged is logged with its address', {
  timeout: 20_000,
}, async (t) => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const certificate = await loadCertificate(await testConfig(t), Date.now());
  const app = fastify({ ...loggingOptions(logger), https: tlsOptions(certificate) });
  app.addHook('onResponse', async ({ raw: { socket } }) => {
    client.destroy();
    await new Promise((resolve) => socket.once('close', resolve));
  });
  app.register(requestLog, { logger });
  app.get('/', () => ({ ok: true }));
  const answered = new Promise<void>((resolve) => {
    app.after(() => app.addHook('onResponse', async () => resolve()));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const client = connect({ port: portOf(app.server), host: '127.0.0.1', rejectUnauthorized: false });
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await answered;
  await nextTick();
  assert.match(lines.join(''), /"ip":"127\.0\.0\.1"/);
});

test('requests that are answered in one tick have one line each, in order', async () => {
  const { app, parsed } = loggedServer();
  const urls = ['/v7/vote-check?external_id=a', '/nowhere', '/v7/vote-check?external_id=b'];
  await Promise.all(urls.map((url) => app.inject(url)));
  assert.deepEqual(
    (await parsed()).map(({ url }) => url),
    urls,
  );
});

test('request lines are byte for byte those that pino writes', async () => {
  const line = { reqId: 'a-1', method: 'GET', url: '/', status: 200, ms: 0.25, ip: '192.0.2.1' };
  const requests = [
    line,
    { ...line, guild: '123456789012345678' },
    { ...line, guild: '123456789012345678', user: '223456789012345678' },
    { ...line, ip: null },
    { ...line, ip: 'fe80::1%"\\\n' },
    { ...line, url: '/quotes"and\\backslash/\u007f\u00e9\ud800\u2028\n' },
    { ...line, url: `/?api_token=${KEY}`, status: 503 },
    { ...line, url: `/${KEY}`, ms: 1e-7 },
  ];
  for (const addresses of ['full', 'network', 'off'] as const) {
    const lines: string[] = [];
    const to = { write: (text: string) => void lines.push(text.replace(/"time":\d+/g, '"time":0')) };
    const logger = createLogger('info', to, { fields: { worker: 2 }, addresses });
    const log = createRequestLog(logger);
    for (const request of requests) log?.(request);
    await nextTick();
    const ours = lines.splice(0).join('');
    for (const request of requests) logger.info({ ...request, url: redactUrl(request.url) }, 'request');
    assert.equal(ours, lines.join(''));
  }
});

test('an unknown route is logged like any other, and a caller cannot choose its request id', async () => {
  const { app, parsed } = loggedServer();
  const headers = { 'request-id': 'mine', 'x-request-id': 'mine' };
  const answer = await app.inject({ url: '/nowhere', headers });
  assert.notEqual(answer.headers['x-request-id'], 'mine');
  assert.deepEqual(
    (await parsed()).map(({ status, url }) => [status, url]),
    [[404, '/nowhere']],
  );
});

test('the log contains the stack and cause of a failure, under the same id', async () => {
  const { app, parsed } = loggedServer();
  const answer = await app.inject('/fails');
  const [failure, request] = await parsed();
  assert.equal(failure.level, 'error');
  assert.equal(failure.reqId, answer.headers['x-request-id']);
  assert.match(failure.err.stack, /logged-server\.ts:\d+/);
  assert.match(failure.err.stack, /caused by: Error: the disk is full/);
  assert.equal(request.status, 500);
});

test('only type, message and stack of an error are logged, because drivers attach queries and values', async () => {
  const { app, parsed } = loggedServer();
  app.get('/detailed', () => {
    throw Object.assign(new Error('duplicate key'), {
      detail: 'Key (user_id)=(1) exists',
      parameters: ['1'],
    });
  });
  await app.inject('/detailed');
  const [failure] = await parsed();
  assert.deepEqual(Object.keys(failure.err), ['type', 'message', 'stack']);
});

test('keys are never logged, wherever a client or an error puts them', async () => {
  const { app, logger, logged } = loggedServer();
  const encoded = [...KEY].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
  const places = [
    `/v7/vote-check?api_token=${KEY}`,
    `/v7/vote-check?discord_id=1&api%5Ftoken=${encoded}`,
    `/v7/vote-check?external_id=${encoded}`,
    `/v7/vote-check?external_id=x${KEY}`,
    `/v7/vote-check?${KEY}`,
    `/v7/vote-check?${KEY}=1`,
    `/v7/guild/votes/users/${KEY}`,
    `/v7/guild/votes/users/${encoded}`,
    `/v7/guild/votes/users/vty%5f${KEY.slice(4)}`,
    `/v7/guild/votes/users/${encoded.replaceAll('%', '%25')}`,
    `/v7/vote-check?external_id=%2576ty_${KEY.slice(4)}`,
    `/v7/vote-check?external_id=${encoded.replaceAll('%', '%252525')}`,
    `/v7/vote-check?api%255ftoken=${KEY.slice(4)}`,
    '/fails',
  ];
  const headers = { authorization: `Bearer ${KEY}`, 'x-api-token': KEY, cookie: `session=${KEY}` };
  for (const url of places) await app.inject({ url, headers });
  logger.info({ deep: { key: KEY } }, `made ${KEY}`);
  logger.child({ binding: KEY }).warn('careless');
  const lines = await logged();
  assert.equal(lines.length, places.length + 3);
  const log = decodeFully(lines.join('').replaceAll('%zz', ''));
  assert.ok(!log.includes(KEY));
  assert.ok(!log.includes(KEY.slice(4)));
  assert.ok(!/Bearer|session=/.test(log));
});

function decodeFully(text: string): string {
  const decoded = decodeURIComponent(text);
  return decoded === text ? text : decodeFully(decoded);
}

test('secrets of other services are redacted by the name of their parameter', () => {
  assert.equal(redactUrl('/a?api_token=hunter2&x=1'), '/a?api_token=[redacted]&x=1');
  assert.equal(redactUrl('/a?apiKey=hunter2'), '/a?apiKey=[redacted]');
  assert.equal(redactUrl('/a?client_secret=a=b&code=xyz'), '/a?client_secret=[redacted]&code=[redacted]');
  assert.equal(redactUrl('/a?api_token'), '/a?api_token');
  assert.equal(redactUrl('/a?cursor=abc&limit=5%20'), '/a?cursor=abc&limit=5%20');
  assert.equal(redactUrl('/a?x=%zz%'), '/a?x=%zz%');
  assert.equal(redactUrl('/a?api%255ftoken=hunter2'), '/a?api%255ftoken=[redacted]');
  assert.equal(redactUrl('/a?x=100%2525'), '/a?x=100%2525');
});

test('a very long URL does not fill the log', () => {
  assert.equal(redactUrl(`/${'x'.repeat(10_000)}`).length, 2048);
});

test('a level above info disables request lines', async () => {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => void lines.push(line) });
  const app = fastify(loggingOptions(logger));
  app.register(requestLog, { logger });
  await app.inject('/');
  await nextTick();
  assert.deepEqual(lines, []);
});

test('lines logged just before the process exits are written', () => {
  const logging = new URL('../../src/observability/logging.ts', import.meta.url);
  const program = `import { createLogger } from '${logging}'; createLogger('info').info('last words'); process.exit(3)`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program]);
  assert.equal(status, 3);
  assert.match(String(stdout), /"msg":"last words"\}\n$/);
});

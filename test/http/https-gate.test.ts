import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import fastify from 'fastify';
import { httpsGate } from '../../src/http/https-gate.ts';
import { loadCertificate, tlsOptions } from '../../src/secrets/certificate.ts';
import { exchange, parseAnswer, portOf, render, testConfig } from './support.ts';

async function startGated(t: TestContext, timeLimitMs = 10_000) {
  const certificate = await loadCertificate(await testConfig(t), Date.now());
  const app = fastify({ https: tlsOptions(certificate) });
  app.register(httpsGate, { render, timeLimitMs });
  app.get('/', (request) => ({ ok: true, from: request.ip }));
  app.post('/', (request) => ({ length: String(request.body).length }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  return { app, port: portOf(app.server), ca: certificate.cert };
}

function ask(port: number, agent: Agent, body = ''): Promise<{ text: string; isReused: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'text/plain' };
    const request = httpsRequest(
      { port, agent, method: body ? 'POST' : 'GET', headers },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ text, isReused: request.reusedSocket });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function handshake(port: number, ca: string, session?: Buffer): Promise<TLSSocket> {
  const resumed = session ? { session } : {};
  const socket = connectTls({ port, ca, ALPNProtocols: ['http/1.1'], maxVersion: 'TLSv1.2', ...resumed });
  await once(socket, 'secureConnect');
  return socket;
}

test('plain HTTP on the TLS port is rejected with a message, and the connection ends', async (t) => {
  const { port } = await startGated(t);
  const answer = parseAnswer(await exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
  assert.equal(answer.status, 403);
  assert.equal(answer.body, render('HTTPS_REQUIRED', 'en').body);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)));
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['content-language'], 'en');
  assert.equal(answer.headers.connection, 'close');
});

test('the rejection is in the language of the request', async (t) => {
  const { port } = await startGated(t);
  const languageOf = async (target: string, header: string) => {
    const answer = parseAnswer(
      await exchange(port, `GET ${target} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`),
    );
    assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.body)));
    return [answer.headers['content-language'], JSON.parse(answer.body).message];
  };
  const french = ['fr', 'HTTPS_REQUIRED é fr'];
  assert.deepEqual(await languageOf('/v7?locale=fr', 'X-Locale: en'), french);
  assert.deepEqual(await languageOf('/v7', 'X-Locale: fr'), french);
  assert.deepEqual(await languageOf('/v7', 'Accept-Language: fr-CA, en;q=0.5'), french);
  assert.deepEqual(await languageOf('/v7?locale=xx', 'X-Locale: fr'), ['en', 'HTTPS_REQUIRED é en']);
});

test('a plain HEAD request is rejected without a body', async (t) => {
  const { port } = await startGated(t);
  const answer = parseAnswer(await exchange(port, 'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n'));
  assert.equal(answer.status, 403);
  assert.equal(answer.body, '');
});

test('a plain upload gets its response while it is still being sent, and is never reset', async (t) => {
  const { port } = await startGated(t);
  const socket = connect(port, '127.0.0.1');
  const whole = exchange(port, `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${5_000_000}\r\n\r\n`, socket);
  await once(socket, 'data');
  socket.write(Buffer.alloc(5_000_000));
  assert.equal(parseAnswer(await whole).status, 403);
});

test('a plain request that waits for "100 Continue", or asks for a tunnel, is rejected too', async (t) => {
  const { port } = await startGated(t);
  const waiting = connect(port, '127.0.0.1');
  waiting.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n');
  const [words] = await once(waiting, 'data');
  assert.equal(parseAnswer(String(words)).status, 403);
  waiting.destroy();
  assert.equal(parseAnswer(await exchange(port, 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n')).status, 403);
});

test('garbage that is neither TLS nor HTTP gets a response and a clean close', async (t) => {
  const { port } = await startGated(t);
  const answer = parseAnswer(await exchange(port, 'SSH-2.0-OpenSSH_9.9\r\n\r\n'));
  assert.equal(answer.status, 400);
  assert.equal(JSON.parse(answer.body).error, 'BAD_REQUEST');
});

test('garbage that starts like TLS causes no error', async (t) => {
  const { port, ca } = await startGated(t);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume().write(Buffer.from([0x16, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  await once(socket, 'close');
  assert.match((await ask(port, new Agent({ ca }))).text, /"ok":true/);
});

test('a silent connection is closed after the time limit, as is a plain request that never completes', async (t) => {
  const { port } = await startGated(t, 20);
  const silent = connect(port, '127.0.0.1');
  const slow = connect(port, '127.0.0.1');
  slow.write('GET / HTTP/1.1\r\n');
  await Promise.all([once(silent.resume(), 'close'), once(slow.resume(), 'close')]);
});

test('clients that disconnect before their first byte leave nothing behind', async (t) => {
  const { app, port } = await startGated(t);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.resetAndDestroy();
  const polite = connect(port, '127.0.0.1');
  polite.resume().end();
  await once(polite, 'close');
  await app.close();
});

test('a first byte that arrives alone is handled', async (t) => {
  const { port, ca } = await startGated(t);
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  socket.write('G');
  await once(socket, 'connect');
  assert.equal(parseAnswer(await exchange(port, 'ET / HTTP/1.1\r\nHost: x\r\n\r\n', socket)).status, 403);
  assert.match((await ask(port, new Agent({ ca }))).text, /"from":"127.0.0.1"/);
});

test('HTTPS keeps its connection between requests and supports large bodies', async (t) => {
  const { port, ca } = await startGated(t);
  const agent = new Agent({ ca, keepAlive: true });
  t.after(() => agent.destroy());
  assert.equal((await ask(port, agent)).isReused, false);
  assert.equal((await ask(port, agent)).isReused, true);
  const large = 'x'.repeat(1_000_000);
  assert.deepEqual(await ask(port, agent, large), { text: '{"length":1000000}', isReused: true });
});

test('TLS sessions are resumed and the protocol is negotiated', async (t) => {
  const { port, ca } = await startGated(t);
  const first = await handshake(port, ca);
  assert.equal(first.alpnProtocol, 'http/1.1');
  assert.equal(first.isSessionReused(), false);
  const second = await handshake(port, ca, first.getSession());
  assert.equal(second.isSessionReused(), true);
  first.destroy();
  second.destroy();
});

test('silent connections do not delay a stop', async (t) => {
  const { app, port } = await startGated(t);
  const silent = connect(port, '127.0.0.1');
  await Promise.all([once(silent, 'connect'), once(app.server, 'connection')]);
  await Promise.all([once(silent.resume(), 'close'), app.close()]);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import fastify from 'fastify';
import { httpsGate } from '../../src/http/https-gate.ts';
import { closeGracefully, trackConnections } from '../../src/http/listen.ts';
import { loadCertificate, tlsOptions } from '../../src/secrets/certificate.ts';
import { parseAnswer, portOf, render, testConfig } from './support.ts';

const NEVER_MS = 60_000;

async function start(t: TestContext) {
  const certificate = await loadCertificate(await testConfig(t), Date.now());
  const app = fastify({ https: tlsOptions(certificate), return503OnClosing: false });
  const connections = trackConnections(app.server);
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  app.register(httpsGate, { render });
  app.get('/', () => ({ ok: true }));
  app.get('/slow', async () => {
    arrived.resolve();
    await released.promise;
    return { ok: 'finished' };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => {
    connections.destroyAll();
    return app.close();
  });
  const port = portOf(app.server);
  const open = async (): Promise<Socket> => {
    const socket = connectTls({ port, ca: certificate.cert });
    await Promise.all([once(socket, 'secureConnect'), once(app.server, 'secureConnection')]);
    return socket;
  };
  return { app, connections, port, open, arrived: arrived.promise, release: () => released.resolve() };
}

/** The body of the response; rejects if the connection closes without one. */
function get(socket: Socket, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (data) => resolve(parseAnswer(String(data)).body));
    socket.once('close', () => reject(new Error('closed without an answer')));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  });
}

test('an open request completes, its connection closes once idle, and new connections are refused', async (t) => {
  const { app, connections, port, open, arrived, release } = await start(t);
  const socket = await open();
  const answer = get(socket, '/slow');
  await arrived;
  const stopped = closeGracefully(app, connections, { deadlineMs: NEVER_MS });
  while (app.server.listening) await setImmediate();
  release();
  assert.equal(await answer, '{"ok":"finished"}');
  await Promise.all([once(socket.resume(), 'close'), stopped]);
  await assert.rejects(once(connect(port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
});

test('connections that are idle, or never sent a request, do not delay the stop', async (t) => {
  const { app, connections, open } = await start(t);
  const [idle, unused] = [await open(), await open()];
  assert.equal(await get(idle, '/'), '{"ok":true}');
  const closes = [once(idle.resume(), 'close'), once(unused.resume(), 'close')];
  await closeGracefully(app, connections, { deadlineMs: NEVER_MS });
  await Promise.all(closes);
});

test('requests that still run at the deadline are cut off, including stalled TLS handshakes', async (t) => {
  const { app, connections, port, open, arrived } = await start(t);
  const stalled = connect(port, '127.0.0.1');
  stalled.write(Buffer.from([0x16, 3, 1, 0, 200]));
  await once(app.server, 'connection');
  const socket = await open();
  const cutOff = assert.rejects(
    get(
      socket.on('error', () => {}),
      '/slow',
    ),
    /closed without an answer/,
  );
  await arrived;
  const closed = once(stalled.resume(), 'close');
  await closeGracefully(app, connections, { deadlineMs: 20 });
  await Promise.all([cutOff, closed]);
});

async function startPlain(t: TestContext) {
  const app = fastify({ return503OnClosing: false });
  const connections = trackConnections(app.server);
  app.get('/', () => ({ ok: true }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  return { app, connections, open: () => connect(portOf(app.server), '127.0.0.1') };
}

test('a server that serves plain HTTP to a proxy stops the same way', async (t) => {
  const { app, connections, open } = await startPlain(t);
  const sockets = [open(), open()] as const;
  await once(sockets[1], 'connect');
  assert.equal(await get(sockets[0], '/'), '{"ok":true}');
  const closes = sockets.map((socket) => once(socket.resume(), 'close'));
  await closeGracefully(app, connections, { deadlineMs: NEVER_MS });
  await Promise.all(closes);
});

test('connections that wait to be accepted when the server stops are answered', async (t) => {
  const { app, connections, open } = await startPlain(t);
  const sockets = Array.from({ length: 20 }, open);
  const answers = sockets.map((socket) => get(socket, '/'));
  await once(sockets[19] ?? open(), 'connect');
  assert.ok(connections.accepted() < 20, 'some wait in the queue of the system');
  await closeGracefully(app, connections, { deadlineMs: NEVER_MS });
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['{"ok":true}']));
});

test('a request that arrives on a new connection just after the server stopped listening is answered', async (t) => {
  const { app, connections, open } = await startPlain(t);
  const socket = open();
  await Promise.all([once(socket, 'connect'), once(app.server, 'connection')]);
  const stopped = closeGracefully(app, connections, { deadlineMs: NEVER_MS });
  while (app.server.listening) await setImmediate();
  assert.equal(await get(socket, '/'), '{"ok":true}');
  await stopped;
});

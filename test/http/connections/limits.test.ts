import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import fastify from 'fastify';
import pino from 'pino';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import {
  type ConnectionCaps,
  connectionCaps,
  watchDescriptors,
} from '../../../src/http/connection-limits.ts';
import { httpsGate } from '../../../src/http/https-gate.ts';
import { createMetrics } from '../../../src/observability/prometheus.ts';
import { createLimitReport } from '../../../src/observability/reports.ts';
import { loadCertificate, tlsOptions } from '../../../src/secrets/certificate.ts';
import { portOf, render, testConfig } from '../support.ts';

const NONE: Omit<ConnectionCaps, 'report'> = {
  maxConnections: 1000,
  maxConnectionsPerNetwork: 0,
  isTrusted: () => false,
};

async function start(t: TestContext, caps: Partial<ConnectionCaps>) {
  const reports: unknown[][] = [];
  const app = fastify({ https: tlsOptions(await loadCertificate(await testConfig(t), Date.now())) });
  app.register(httpsGate, { render });
  app.register(connectionCaps, { ...NONE, report: (...args) => void reports.push(args), ...caps });
  app.get('/', () => ({ ok: true }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return app.close();
  });
  const port = portOf(app.server);
  const open = (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  /** Whether a TLS handshake on a new connection is completed. */
  const isServed = (localAddress?: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connectTls({ socket: open(localAddress), rejectUnauthorized: false });
      sockets.push(socket.on('error', () => {}));
      socket.once('secureConnect', () => resolve(true)).once('close', () => resolve(false));
    });
  return { app, open, isServed, reports };
}

test('a connection over the total limit is closed immediately, and closing another one makes room', async (t) => {
  const { open, isServed, reports, app } = await start(t, { maxConnections: 2 });
  const first = open();
  await once(app.server, 'connection');
  assert.equal(await isServed(), true);
  assert.equal(await isServed(), false);
  assert.deepEqual(reports, [['connections']]);
  first.destroy();
  while (!(await isServed()));
});

test('a connection over the limit of its network is closed before TLS, and others are served', async (t) => {
  const { open, isServed, reports, app } = await start(t, { maxConnectionsPerNetwork: 2 });
  // Neither has sent a byte yet: a limit that is checked after TLS would not count them.
  const idle = [open(), open()];
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  let handshakes = 0;
  app.server.on('secureConnection', () => {
    handshakes += 1;
  });
  assert.equal(await isServed(), false);
  assert.equal(handshakes, 0);
  assert.deepEqual(reports, [['connections_per_network', '127.0.0.1']]);
  assert.equal(await isServed('127.0.0.2'), true);
  idle[0]?.destroy();
  while (!(await isServed()));
});

test('the limit per network does not apply to trusted proxies, and 0 turns it off', async (t) => {
  const isTrusted = (address: string) => address === '127.0.0.1';
  const proxied = await start(t, { maxConnectionsPerNetwork: 1, isTrusted });
  const unlimited = await start(t, { maxConnectionsPerNetwork: 0 });
  for (let i = 0; i < 4; i += 1) {
    assert.equal(await proxied.isServed(), true);
    assert.equal(await unlimited.isServed(), true);
  }
  assert.equal(await proxied.isServed('127.0.0.2'), true);
  assert.equal(await proxied.isServed('127.0.0.2'), false);
});

test('running out of file descriptors is reported every second, and other errors of the probe are ignored', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const reported: string[] = [];
  let code: string | undefined;
  const watch = watchDescriptors(
    (limit) => reported.push(limit),
    () => {
      if (code) throw Object.assign(new Error(code), { code });
    },
  );
  t.mock.timers.tick(3000);
  code = 'EMFILE';
  t.mock.timers.tick(2000);
  code = 'EACCES';
  t.mock.timers.tick(2000);
  code = 'ENFILE';
  t.mock.timers.tick(1000);
  watch.stop();
  t.mock.timers.tick(5000);
  assert.deepEqual(reported, ['file_descriptors', 'file_descriptors', 'file_descriptors']);
});

test('each limit is counted every time, and logged once a minute with the number of times', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics();
  let now = 0;
  const report = createLimitReport({ logger, metrics, clock: () => now });
  for (let i = 0; i < 5; i += 1) report('connections_per_network', '198.51.100.7');
  report('unread_output');
  now += MINUTE_MS - 1;
  report('connections_per_network', '198.51.100.7');
  assert.equal(lines.length, 2);
  now += 1;
  report('connections_per_network', '198.51.100.8');
  const told = lines.map(({ limit, times, network }) => ({ limit, times, network }));
  assert.deepEqual(told, [
    { limit: 'connections_per_network', times: 1, network: '198.51.100.7' },
    { limit: 'unread_output', times: 1, network: undefined },
    { limit: 'connections_per_network', times: 6, network: '198.51.100.8' },
  ]);
  const text = await metrics.text();
  assert.match(text, /votary_connection_limits_total\{limit="connections_per_network"\} 7/);
  assert.match(text, /votary_connection_limits_total\{limit="unread_output"\} 1/);
  assert.match(text, /votary_connection_limits_total\{limit="connections"\} 0/);
  assert.match(text, /votary_connection_limits_total\{limit="pipelined_requests"\} 0/);
});

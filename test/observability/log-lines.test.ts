import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { describe, it, test } from 'node:test';
import type { LogAddresses } from '../../src/config.ts';
import { createClientErrorReport, createLimitReport } from '../../src/observability/reports.ts';
import { loggedServer, UUID } from './logged-server.ts';

test('the request id of a trusted proxy is used, so that its log and this one can be compared', async () => {
  const { app, parsed } = loggedServer({ proxy: '192.0.2.1' });
  const ids = [
    'b7f8a1c2d3e4f5061728394a5b6c7d8e',
    'Root=1-67891233-abcdef012345678912345678',
    'x'.repeat(128),
  ];
  for (const id of ids) {
    const headers = { 'x-request-id': id };
    const answer = await app.inject({ url: '/v7/vote-check', headers, remoteAddress: '192.0.2.1' });
    assert.equal(answer.headers['x-request-id'], id);
  }
  assert.deepEqual(
    (await parsed()).map(({ reqId }) => reqId),
    ids,
  );
});

test('a request id of anyone else, and one that is too long or has unusual characters, is ignored', async () => {
  const { app } = loggedServer({ proxy: '192.0.2.1' });
  const requests: [string, string | string[]][] = [
    ['192.0.2.2', 'b7f8a1c2d3e4f5061728394a5b6c7d8e'],
    ['192.0.2.1', ''],
    ['192.0.2.1', 'x'.repeat(129)],
    ['192.0.2.1', 'a b'],
    ['192.0.2.1', 'a"b'],
    ['192.0.2.1', '<script>'],
    ['192.0.2.1', 'a\tb'],
    ['192.0.2.1', 'é'],
    ['192.0.2.1', ['one', 'two']],
  ];
  for (const [remoteAddress, id] of requests) {
    const headers = { 'x-request-id': id, 'x-forwarded-for': '192.0.2.1' };
    const answer = await app.inject({ url: '/v7/vote-check', headers, remoteAddress });
    assert.match(String(answer.headers['x-request-id']), UUID, `${remoteAddress} ${id}`);
  }
});

const PROBES = ['/healthz', '/readyz'];

test('probes are not logged at info while they succeed', async () => {
  const { app, logged } = loggedServer();
  for (const url of PROBES) assert.equal((await app.inject(url)).statusCode, 200);
  assert.deepEqual(await logged(), []);
});

test('successful probes are logged at debug', async () => {
  const { app, parsed } = loggedServer({ level: 'debug' });
  for (const url of PROBES) await app.inject(url);
  assert.deepEqual(
    (await parsed()).map(({ level, url, status }) => [level, url, status]),
    PROBES.map((url) => ['debug', url, 200]),
  );
});

test('a probe that fails is a warning', async () => {
  const { app, parsed } = loggedServer({ level: 'warn', isDatabaseDown: true });
  for (const url of [...PROBES, '/v7/vote-check']) await app.inject(url);
  assert.deepEqual(
    (await parsed()).map(({ level, url, status }) => [level, url, status]),
    [['warn', '/readyz', 503]],
  );
});

describe('VOTARY_LOG_ADDRESSES', () => {
  const CLIENTS = [
    '198.51.100.23',
    '2001:db8:1234:5678::9',
    '198.51.100.23:4711',
    'unknown',
    '::ffff:198.51.100.23',
  ];
  const expected: Record<LogAddresses, (string | undefined)[]> = {
    full: CLIENTS,
    network: ['198.51.100.0/24', '2001:db8:1234::/48', '198.51.100.0/24', undefined, '198.51.100.0/24'],
    off: CLIENTS.map(() => undefined),
  };

  for (const addresses of ['full', 'network', 'off'] as const) {
    it(`${addresses}: every kind of line contains that much of an address`, async () => {
      const { app, logger, parsed } = loggedServer({ addresses, proxy: '192.0.2.1' });
      app.get('/logs', (request) => {
        request.log.warn({ req: request }, 'own line');
        return { ok: true };
      });
      for (const client of CLIENTS) {
        const headers = { 'x-forwarded-for': client };
        await app.inject({ url: '/logs', headers, remoteAddress: '192.0.2.1' });
      }
      const lines = await parsed();
      const [own, requests] = [lines.filter(({ req }) => req), lines.filter(({ msg }) => msg === 'request')];
      assert.deepEqual(
        own.map(({ req }) => req.ip),
        expected[addresses],
      );
      assert.deepEqual(
        requests.map(({ ip }) => ip),
        expected[addresses],
      );
      const metrics = { connectionLimited: () => {}, clientError: () => {} };
      const limited = createLimitReport({ logger, metrics, clock: Date.now });
      limited('connections_per_network', '198.51.100.23');
      limited('unread_output', '2001:db8:1234:5678::/64');
      const malformed = createClientErrorReport({ logger, metrics, clock: Date.now });
      const socket = new Socket();
      Object.defineProperty(socket, 'remoteAddress', { value: '2001:db8:1234:5678::9' });
      malformed('BAD_REQUEST', new Error('malformed'), socket);
      const networks = {
        full: ['198.51.100.23', '2001:db8:1234:5678::/64', '2001:db8:1234:5678::/64'],
        network: ['198.51.100.0/24', '2001:db8:1234::/48', '2001:db8:1234::/48'],
        off: [undefined, undefined, undefined],
      };
      assert.deepEqual(
        (await parsed()).slice(lines.length).map(({ network }) => network),
        networks[addresses],
      );
    });
  }

  it('a client that disconnected before its connection was accepted has no address', async () => {
    const { logger, parsed } = loggedServer({ addresses: 'network' });
    logger.info({ ip: null }, 'request');
    assert.equal((await parsed())[0].ip, null);
  });
});

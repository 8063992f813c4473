import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import fastify from 'fastify';
import { requireHttpsProxy, trustNetworks } from '../../src/http/https-gate.ts';
import { HttpRefusal } from '../../src/http/refusal.ts';
import { health } from '../../src/observability/health.ts';
import { portOf } from './support.ts';

type Answer = { status: number; body: { error?: string; ip?: string } };

/** A server that trusts these networks, and a client with any loopback address. */
async function start(t: TestContext, networks: string[], host = '127.0.0.1') {
  const app = fastify({ trustProxy: trustNetworks(networks) });
  app.setErrorHandler((error, _request, reply) =>
    reply.code(403).send({ error: error instanceof HttpRefusal ? error.code : String(error) }),
  );
  app.register(requireHttpsProxy);
  app.register(health, { store: { ping: async () => {} } });
  app.get('/', (incoming) => ({ ip: incoming.ip }));
  await app.listen({ host, port: 0 });
  t.after(() => app.close());
  const port = portOf(app.server);
  return (
    headers: Record<string, string | string[]>,
    path = '/',
    localAddress = '127.0.0.1',
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path, headers, localAddress }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
      });
      outgoing.on('error', reject).end();
    });
}

const refused: Answer = { status: 403, body: { error: 'HTTPS_REQUIRED' } };
const from = (ip: string): Answer => ({ status: 200, body: { ip } });

test('a request that its trusted proxy received over HTTPS is served', async (t) => {
  const ask = await start(t, ['127.0.0.1/32']);
  assert.deepEqual(await ask({ 'x-forwarded-proto': 'https' }), from('127.0.0.1'));
  assert.deepEqual(await ask({ 'x-forwarded-proto': 'HTTPS' }), from('127.0.0.1'));
});

test('a request whose trusted proxy does not report https is rejected', async (t) => {
  const ask = await start(t, ['127.0.0.1/32']);
  for (const said of ['http', '', 'httpsx', 'wss', 'https, http', 'https,']) {
    assert.deepEqual(await ask({ 'x-forwarded-proto': said }), refused, said);
  }
  assert.deepEqual(await ask({}), refused);
  assert.deepEqual(await ask({ forwarded: 'proto=https', 'x-forwarded-scheme': 'https' }), refused);
});

test('a client cannot claim https through its proxy: the header of the proxy decides', async (t) => {
  const ask = await start(t, ['127.0.0.1/32']);
  assert.deepEqual(await ask({ 'x-forwarded-proto': ['https', 'http'] }), refused);
  assert.deepEqual(await ask({ 'x-forwarded-proto': ['http', 'https'] }), from('127.0.0.1'));
});

test('a peer that is not a trusted proxy is always rejected', async (t) => {
  const ask = await start(t, ['127.0.0.2', '10.0.0.0/8']);
  const claims = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.0.0.1' };
  assert.deepEqual(await ask(claims), refused);
  assert.deepEqual(await ask(claims, '/', '127.0.0.3'), refused);
  assert.equal((await ask(claims, '/', '127.0.0.2')).status, 200);
});

test('the address of a caller is the one that the trusted proxy added, not one that the caller sent', async (t) => {
  const ask = await start(t, ['127.0.0.1/32', '10.0.0.0/8']);
  const ipFor = async (forwarded: string | string[]) =>
    (await ask({ 'x-forwarded-proto': 'https', 'x-forwarded-for': forwarded })).body.ip;
  assert.equal(await ipFor('203.0.113.7'), '203.0.113.7');
  assert.equal(await ipFor('198.51.100.1, 203.0.113.7'), '203.0.113.7');
  assert.equal(await ipFor(['198.51.100.1', '203.0.113.7']), '203.0.113.7');
  assert.equal(await ipFor('198.51.100.1, 203.0.113.7, 10.1.2.3'), '203.0.113.7');
  assert.equal(await ipFor('127.0.0.1, 203.0.113.7'), '203.0.113.7');
  assert.equal(await ipFor('2001:db8::7'), '2001:db8::7');
});

test('a trusted IPv4 proxy is recognized on a dual-stack socket', async (t) => {
  const ask = await start(t, ['127.0.0.1/32'], '::');
  const answer = await ask({ 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' });
  assert.deepEqual(answer, from('203.0.113.7'));
  assert.deepEqual(await ask({ 'x-forwarded-proto': 'https' }, '/', '127.0.0.9'), refused);
});

test('probes are answered without a proxy; similar paths are not', async (t) => {
  const ask = await start(t, ['10.0.0.0/8']);
  assert.equal((await ask({}, '/healthz')).status, 200);
  assert.equal((await ask({}, '/readyz?x')).status, 200);
  assert.deepEqual(await ask({}, '/healthz/x'), refused);
  assert.deepEqual(await ask({}, '/?/healthz'), refused);
});

test('everyone can be trusted if only proxies can reach the port', async (t) => {
  const ask = await start(t, ['0.0.0.0/0', '::/0']);
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.1, 203.0.113.7' };
  assert.deepEqual(await ask(forwarded), from('198.51.100.1'));
  assert.deepEqual(await ask({}), refused);
});

test('a network contains its own addresses, in either notation, and no others', () => {
  const isTrusted = trustNetworks(['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '2001:db8::1', 'fe80::/10']);
  const inside = ['10.255.0.1', '::ffff:10.1.2.3', '192.0.2.1', 'fd12::1', '2001:db8:0:0::1', 'fe80::1%eth0'];
  for (const address of inside) assert.equal(isTrusted(address), true, address);
  const outside = [
    '11.0.0.1',
    '::ffff:11.0.0.1',
    '192.0.2.2',
    '2001:db8::2',
    'fe00::1',
    '::a00:1',
    '',
    'unknown',
    '10.0.0.1:80',
  ];
  for (const address of outside) assert.equal(isTrusted(address), false, address);
});

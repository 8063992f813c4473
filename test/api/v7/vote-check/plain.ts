/**
 * A plain vote check does not pass Fastify. The same requests are sent to two servers with equal databases, of which one
 * passes everything to Fastify: responses, log lines and metrics must be equal.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { generateApiKey, hashApiKey } from '../../../../src/domain/keys/api-key.ts';
import { deriveSecrets } from '../../../../src/domain/secrets.ts';
import { batchRequests } from '../../../../src/http/ticks.ts';
import { createLogger } from '../../../../src/observability/logging.ts';
import { createMetrics } from '../../../../src/observability/prometheus.ts';
import { buildServer } from '../../../../src/server.ts';
import { openStore } from '../../../../src/store/open.ts';
import { portOf } from '../../../http/support.ts';
import { NOW, OTHER_USER, testServerDeps, USER } from '../../../support/api.ts';
import { testClock } from '../../../support/clock.ts';

const GUILD = '300000000000000001';
const SANCTIONED_GUILD = '300000000000000002';
const KEYS = { valid: generateApiKey(), sanctioned: generateApiKey(), unknown: generateApiKey() };

type TestServer = Awaited<ReturnType<typeof start>>;

const clock = testClock(NOW);

/** `isDirect`: every request is passed to Fastify as it arrives. */
async function start({ isDirect }: { isDirect: boolean }) {
  const folder = await mkdtemp(join(tmpdir(), 'votary-plain-'));
  const store = await openStore({ kind: 'sqlite', path: join(folder, 'votary.db') });
  for (const [guildId, key] of [
    [GUILD, KEYS.valid],
    [SANCTIONED_GUILD, KEYS.sanctioned],
  ] as const) {
    await store.guilds.add({ guildId, name: 'Community', createdAt: clock() });
    await store.guilds.setKey(guildId, { hash: hashApiKey(key), sealed: 'unused', createdAt: clock() });
  }
  await store.guilds.setSanction(SANCTIONED_GUILD, { reason: 'spam', since: clock() });
  const vote = {
    guildId: GUILD,
    userId: USER,
    externalId: 'Steve_42',
    isDoubled: true,
    castAt: clock() - 600_000,
  };
  await store.votes.import(
    (async function* () {
      yield [vote];
    })(),
    clock(),
  );
  const lines: Record<string, unknown>[] = [];
  const write = (text: string) =>
    void lines.push(
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  const logger = createLogger('info', { write });
  const metrics = createMetrics();
  const app = buildServer({
    ...testServerDeps(store, clock, deriveSecrets('a master secret for tests')),
    logger,
    metrics,
    transport: { kind: 'proxy', trusted: ['127.0.0.1/32', '10.0.0.0/8'] },
  });
  let passed = 0;
  app.addHook('onRequest', (_request, _reply, done) => {
    passed += 1;
    done();
  });
  await app.ready();
  const { server } = app;
  if (isDirect) {
    server.removeAllListeners('request');
    server.on(
      'request',
      batchRequests((request, response) => app.routing(request, response)),
    );
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    /** The requests that Fastify has received. */
    countPassed: () => passed,
    lines,
    metrics,
    store,
    close: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
      await app.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Sends a request on a connection of its own and returns the whole response. */
function exchange(port: number, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  const end = () => {
    socket.destroy();
    resolve(received);
  };
  socket.on('error', reject).on('end', end);
  socket.on('data', (chunk) => {
    received += chunk;
    const headEnd = received.indexOf('\r\n\r\n');
    const length = /^content-length: (\d+)/im.exec(received)?.[1];
    const bodyLength = text.startsWith('HEAD') ? 0 : Number(length);
    if (headEnd !== -1 && received.length === headEnd + 4 + bodyLength) end();
  });
  socket.write(text, 'latin1');
  return promise;
}

/** The system's time, which both servers do not read at the same moment. */
function withoutDate(response: string): string {
  return response.replace(/^date: .*$/im, 'date: then');
}

const oneOf = <Value extends string | null>(...values: Value[]) => fc.constantFrom<Value>(...values);

/** Mostly what ordinary clients send, with everything that changes a response in between. */
const anyRequest = fc
  .record({
    method: fc.oneof({ weight: 20, arbitrary: oneOf('GET') }, oneOf('HEAD', 'POST', 'OPTIONS')),
    path: fc.oneof(
      { weight: 10, arbitrary: oneOf('/v7/vote-check', '/v7/check-vote') },
      oneOf('/v7/vote-check/', '/V7/vote-check', '/v7//vote-check', '/v7/vote-checks', '/vote-check'),
    ),
    query: fc.oneof(
      { weight: 10, arbitrary: oneOf(`discord_id=${USER}`, `discord_id=${OTHER_USER}`) },
      { weight: 5, arbitrary: oneOf('external_id=Steve_42', 'external_id=steve_42', 'external_id=-') },
      oneOf(
        'discord_id=1',
        'discord_id=',
        'external_id=',
        'external_id=%zz',
        'external_id=a+b',
        '',
        'locale=fr',
      ),
      oneOf(`discord_id=${USER}&external_id=x`, `discord_id=${USER}&locale=fr`, `discord_id=${USER}#x`),
      oneOf(`api_token=${KEYS.valid}&discord_id=${USER}`, `external_id=${'n'.repeat(300)}`),
    ),
    version: fc.oneof({ weight: 20, arbitrary: oneOf('1.1') }, oneOf('1.0')),
    authorization: fc.oneof(
      { weight: 10, arbitrary: oneOf(`Bearer ${KEYS.valid}`) },
      oneOf(`Bearer ${KEYS.unknown}`, `Bearer ${KEYS.sanctioned}`, `bearer ${KEYS.valid}`),
      oneOf(`Bearer  ${KEYS.valid} `, KEYS.valid, 'Bearer YOUR_API_KEY', 'Bearer ', null),
    ),
    host: fc.oneof(
      { weight: 20, arbitrary: oneOf('host: votes.example', 'host: 127.0.0.1:8443') },
      oneOf('host: a b', 'host:', 'x-no-host: 1', 'host: a\r\nhost: b'),
    ),
    proto: fc.oneof({ weight: 20, arbitrary: oneOf('https') }, oneOf('http', 'HTTPS', 'http, https', null)),
    client: fc.oneof(
      { weight: 10, arbitrary: oneOf('203.0.113.7', '2001:db8::7', null) },
      oneOf(
        '203.0.113.7, 10.0.0.1',
        '10.0.0.1',
        'unknown',
        '203.0.113.7\r\nx-forwarded-for: 203.0.113.8',
        '"',
      ),
    ),
    others: fc.array(
      fc.oneof(
        oneOf('user-agent: bot', 'accept: */*', 'connection: keep-alive', 'accept-encoding: gzip'),
        oneOf('accept-language: fr', 'accept-language: *', 'x-locale: fr', 'x-api-token: x'),
        oneOf('x-forwarded-host: votes.example', 'x-forwarded-host: a b', 'x-forwarded-host: a, b'),
        oneOf('connection: close', 'connection: Keep-Alive', 'content-length: 0', 'accept-version: 1'),
        oneOf('x-request-id: "', 'if-none-match: *', 'range: bytes=0-1', 'cookie: a=b'),
      ),
      { maxLength: 3 },
    ),
  })
  .map(({ method, path, query, version, host, authorization, proto, client, others }) => [
    `${method} ${path}?${query} HTTP/${version}`,
    host,
    ...(authorization === null ? [] : [`authorization: ${authorization}`]),
    ...(proto === null ? [] : [`x-forwarded-proto: ${proto}`]),
    ...(client === null ? [] : [`x-forwarded-for: ${client}`]),
    ...others,
  ]);

/** Compares the first `count` of the same random requests. */
export function comparePlainVoteChecks(count: number): void {
  describe('a plain vote check', () => {
    let plain: TestServer;
    let direct: TestServer;

    before(async () => {
      plain = await start({ isDirect: false });
      direct = await start({ isDirect: true });
    });
    after(async () => {
      await plain.close();
      await direct.close();
    });

    const sendToBoth = async (request: string[], id: string) => {
      const hasId = request.some((line) => line.startsWith('x-request-id'));
      const text = `${[...request, ...(hasId ? [] : [`x-request-id: ${id}`])].join('\r\n')}\r\n\r\n`;
      const responses = [await exchange(plain.port, text), await exchange(direct.port, text)];
      return responses.map((response) =>
        withoutDate(hasId ? response.replace(/^x-request-id: .*$/im, '') : response),
      );
    };

    test('gets the response that Fastify sends, byte for byte', async () => {
      let sent = 0;
      const statuses = new Set<string>();
      for (const request of fc.sample(anyRequest, { numRuns: count, seed: 7 })) {
        // The limit is reached, and a new window starts.
        if (++sent % 97 === 0) clock.advance(61_000);
        const [response = '', expected] = await sendToBoth(request, `request-${sent}`);
        assert.equal(response, expected, request.join('\n'));
        statuses.add(response.slice(9, 12));
      }
      assert.equal(direct.countPassed() - plain.countPassed() > count / 10, true);
      assert.deepEqual([...statuses].toSorted(), ['200', '400', '401', '403', '404', '405', '429']);
    });

    test('writes the same log lines and counts the same metrics', async () => {
      await nextTurn();
      const comparable = ({ lines }: TestServer) =>
        lines.map(({ time: _, ms: _ms, reqId, ...rest }) => ({
          ...rest,
          reqId: String(reqId).startsWith('request-') ? reqId : 'random',
        }));
      assert.deepEqual(comparable(plain), comparable(direct));
      const counts = async ({ metrics }: TestServer) =>
        (await metrics.text())
          .split('\n')
          .filter((line) =>
            /^votary_http_requests_total|^votary_http_request_duration_seconds_count/.test(line),
          );
      assert.deepEqual((await counts(plain)).toSorted(), (await counts(direct)).toSorted());
    });

    test('records the first use of a key', async (t) => {
      const server = await start({ isDirect: false });
      t.after(server.close);
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const request = [
        `GET /v7/vote-check?discord_id=${USER} HTTP/1.1`,
        'host: localhost',
        `authorization: Bearer ${KEYS.valid}`,
        'x-forwarded-proto: https',
        '\r\n',
      ];
      assert.match(await exchange(server.port, request.join('\r\n')), /^HTTP\/1.1 200 /);
      assert.equal(server.countPassed(), 0);
      t.mock.timers.runAll();
      await nextTurn();
      const { firstRequestAt } = await server.store.milestones.find(GUILD);
      assert.equal(firstRequestAt, clock());
    });
  });
}

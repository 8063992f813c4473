/**
 * The API on each database, for tests of what a client can see.
 *
 *   onEachDatabase('vote-check', (open) => {
 *     test('a user who voted ten minutes ago has voted', async () => {
 *       const api = await open();
 *       await api.vote({ userId: USER, at: '2026-11-15T11:50:00Z' });
 *       const { status, body } = await api.get(`/v7/vote-check?discord_id=${USER}`);
 *       …
 *
 * All tests of a suite share a server, a database and a clock, so they run one after the other. Each `open()` creates a
 * guild with a key, uses a new client address, and sets the clock to `NOW`.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe } from 'node:test';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { ErrorCode } from '../../src/api/errors/api-error.ts';
import type { DatabaseUrl } from '../../src/config.ts';
import { formatInstant } from '../../src/domain/clock.ts';
import { generateApiKey, hashApiKey } from '../../src/domain/keys/api-key.ts';
import { deriveSecrets, type Secrets } from '../../src/domain/secrets.ts';
import type { Vote } from '../../src/domain/votes/vote.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { createMetrics } from '../../src/observability/prometheus.ts';
import { buildServer } from '../../src/server.ts';
import { DEMO_OPERATORS, demoSignIn } from '../../src/site/sign-in/demo-sign-in.ts';
import { Tallies } from '../../src/store/moderation/tallies.ts';
import { openStore } from '../../src/store/open.ts';
import { DEFAULT_RATE_LIMIT } from '../../src/store/rates.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestClock, testClock } from './clock.ts';
import { createMigratedDatabase } from './postgres/postgres.ts';
import { writeMigratedFile } from './sqlite.ts';
import { testEndpoints } from './webhooks.ts';

export const NOW = '2026-11-15T12:00:00.000Z';
export const USER = '200000000000000001';
export const OTHER_USER = '200000000000000002';

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
  body: Record<string, unknown>;
};

export type RequestOptions = {
  key?: string | null;
  headers?: Record<string, string>;
  ip?: string;
  body?: string | Readable;
};

export type VoteGiven = { userId?: string; at: string; externalId?: string; isDoubled?: boolean };

export type Api = {
  app: FastifyInstance;
  store: Store;
  clock: TestClock;
  secrets: Secrets;
  guildId: string;
  key: string;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  send(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Imports votes of this guild. */
  vote(...votes: VoteGiven[]): Promise<void>;
  grantPremium(): Promise<void>;
};

type Backend = { database: DatabaseUrl; drop(): Promise<void> };

const BACKENDS: Record<string, () => Promise<Backend>> = {
  sqlite: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'votary-api-'));
    const path = join(directory, 'votary.db');
    await writeMigratedFile(path);
    return { database: { kind: 'sqlite', path }, drop: () => rm(directory, { recursive: true }) };
  },
  postgres: async () => {
    const { url, drop } = await createMigratedDatabase();
    return { database: { kind: 'postgres', url }, drop };
  },
};

/** Set by scripts/run-tests.ts. */
const DATABASES = (process.env.VOTARY_TEST_DATABASES ?? 'sqlite,postgres').split(',');

let guildsMade = 0;

type Suite = (open: () => Promise<Api>) => void;

/** For the responses of the API that most clients depend on, on every database. */
export function onEachDatabase(name: string, suite: Suite): void {
  for (const backend of DATABASES) onDatabase(backend, name, suite);
}

/** For all others, because the contract suite compares what they read: on one database, and in CI on the other one too. */
export function onAnyDatabase(name: string, suite: Suite): void {
  for (const backend of DATABASES.slice(0, 1)) onDatabase(backend, name, suite);
}

/** For pages: the contract suite already compares the data that they read on both databases. */
export function onSqlite(name: string, suite: Suite): void {
  onDatabase('sqlite', name, suite);
}

function onDatabase(backendName: string, name: string, suite: Suite): void {
  describe(`${name} (${backendName})`, () => {
    let backend: Backend | undefined;
    let shared: SharedServer;

    before(async () => {
      backend = await BACKENDS[backendName]?.();
      assert.ok(backend);
      shared = buildSharedServer(await openStore(backend.database, { preparesOnUse: true }));
    });
    after(async () => {
      await shared.app.close();
      await shared.store.close();
      await backend?.drop();
    });

    suite(() => openApi(shared));
  });
}

/** One server for all tests of a suite, because creating one takes longer than most tests. */
type SharedServer = Pick<Api, 'app' | 'store' | 'clock' | 'secrets'>;

function buildSharedServer(store: Store): SharedServer {
  const clock = testClock(NOW);
  const secrets = deriveSecrets('a master secret for tests');
  return { app: buildServer(testServerDeps(store, clock, secrets)), store, clock, secrets };
}

async function openApi({ app, store, clock, secrets }: SharedServer): Promise<Api> {
  guildsMade += 1;
  const guildId = String(300000000000000000n + BigInt(guildsMade));
  const ownIp = `198.51.${guildsMade >> 8}.${guildsMade & 255}`;
  const key = generateApiKey();
  clock.set(NOW);
  await store.guilds.add({ guildId, name: `Guild ${guildsMade}`, createdAt: clock() });
  await store.guilds.setKey(guildId, { hash: hashApiKey(key), sealed: 'unused', createdAt: clock() });

  const send: Api['send'] = (method, path, options = {}) =>
    inject(app, method, path, { key, ip: ownIp, ...options });
  return {
    app,
    store,
    clock,
    secrets,
    guildId,
    key,
    send,
    get: (path, options) => send('GET', path, options),
    vote: (...votes) =>
      importVotes(
        store,
        clock(),
        votes.map((vote) => toVote(guildId, vote)),
      ),
    grantPremium: async () => {
      await store.guilds.setPremiumUntil(guildId, clock() + 365 * 86_400_000);
    },
  };
}

export function testServerDeps(store: Store, clock: TestClock, secrets: Secrets) {
  return {
    store,
    clock,
    secrets,
    rateLimit: DEFAULT_RATE_LIMIT,
    signIn: demoSignIn(),
    operators: new Set(DEMO_OPERATORS),
    tallies: new Tallies(store.operator, clock),
    webhooks: testEndpoints(store, clock, secrets),
    logger: createLogger('silent'),
    metrics: createMetrics(),
    // A small part of the real proof of work, which servers prepare too.
    integrity: { challengeWork: { keys: 5, memoryKib: 64 } },
    // Requests for live updates complete, and soon.
    live: { lifetimeMs: 20, gapMs: 1 },
    // Requests are injected and nothing listens, so no certificate is used.
    transport: { kind: 'tls' as const, certificate: { cert: '', key: '', isSelfSigned: true } },
  };
}

export async function inject(
  app: FastifyInstance,
  method: string,
  path: string,
  { key, ip, headers, body }: RequestOptions,
): Promise<Answer> {
  const options = {
    method,
    url: path,
    headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers },
    ...(ip === undefined ? {} : { remoteAddress: ip }),
    ...(body === undefined ? {} : { payload: body }),
  };
  return toAnswer(await app.inject(options as InjectOptions));
}

export function toAnswer(response: Awaited<ReturnType<FastifyInstance['inject']>>): Answer {
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.payload,
    body: isJson && response.payload ? response.json() : {},
  };
}

function toVote(guildId: string, vote: VoteGiven): Vote {
  return {
    guildId,
    userId: vote.userId ?? USER,
    castAt: Date.parse(vote.at),
    externalId: vote.externalId ?? null,
    isDoubled: vote.isDoubled ?? false,
  };
}

async function importVotes(store: Store, now: number, votes: Vote[]): Promise<void> {
  await store.votes.import(
    (async function* () {
      yield votes;
    })(),
    now,
  );
}

/** The error body of the contract: only `ok`, `error`, `message`, and `retry_after` where it applies. */
export function assertError(answer: Answer, status: number, code: ErrorCode): void {
  assert.deepEqual({ status: answer.status, error: answer.body.error }, { status, error: code });
  assert.equal(answer.body.ok, false);
  assert.ok(typeof answer.body.message === 'string' && answer.body.message.length > 10);
  const isTemporary = code === 'RATE_LIMITED' || code === 'SERVICE_UNAVAILABLE';
  const expected = isTemporary ? ['ok', 'error', 'message', 'retry_after'] : ['ok', 'error', 'message'];
  assert.deepEqual(Object.keys(answer.body), expected);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
}

/** The validation body: which field violates which rule, and nothing of the ordinary error body. */
export function assertInvalid(answer: Answer, broken: { field: string; rule: string }[]): void {
  assert.equal(answer.status, 400);
  assert.deepEqual(Object.keys(answer.body), ['errors']);
  const { errors } = answer.body;
  assert.ok(Array.isArray(errors));
  assert.deepEqual(
    errors.map(({ field, rule }) => ({ field, rule })),
    broken,
  );
  for (const { message } of errors) assert.ok(typeof message === 'string' && message.length > 10);
}

/** The instant this many milliseconds before `NOW`, in the format of the API. */
export function ago(milliseconds: number): string {
  return formatInstant(Date.parse(NOW) - milliseconds);
}

/**
 * The whole server behind real TLS, with everything a test needs to cause every documented response.
 *
 *   const live = await startLive();
 *   const answer = await live.get('/v7/vote-check?discord_id=…');
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { readConfig } from '../../src/config.ts';
import { DAY_MS } from '../../src/domain/clock.ts';
import { generateApiKey, hashApiKey } from '../../src/domain/keys/api-key.ts';
import { TOKEN_SCOPES, type TokenScope } from '../../src/domain/keys/api-token.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import type { Goal } from '../../src/domain/votes/goal.ts';
import { createToken } from '../../src/moderation/tokens.ts';
import { createLogger } from '../../src/observability/logging.ts';
import { createMetrics } from '../../src/observability/prometheus.ts';
import { loadCertificate } from '../../src/secrets/certificate.ts';
import { buildServer } from '../../src/server.ts';
import { demoSignIn } from '../../src/site/sign-in/demo-sign-in.ts';
import { openStore } from '../../src/store/open.ts';
import { DEFAULT_RATE_LIMIT } from '../../src/store/rates.ts';
import type { Store } from '../../src/store/store.ts';
import { exchange, parseAnswer, portOf } from '../http/support.ts';
import { testClock } from '../support/clock.ts';
import { testEndpoints } from '../support/webhooks.ts';

export type LiveAnswer = { status: number; headers: Record<string, unknown>; body: string };
export type Call = {
  method?: string;
  key?: string | null;
  headers?: Record<string, string>;
  body?: string;
};
export type Live = Awaited<ReturnType<typeof startLive>>;

export const USER = '200000000000000001';
const GUILD = '100000000000000001';
const NOW = '2026-11-15T12:00:00.000Z';

export async function startLive() {
  const folder = await mkdtemp(join(tmpdir(), 'votary-openapi-'));
  const config = readConfig({ VOTARY_DATA_DIR: folder });
  const clock = testClock(NOW);
  const opened = await openStore(config.database);
  const secrets = deriveSecrets('a master secret for tests');
  const faults: Faults = { failure: null };
  const certificate = await loadCertificate(config, clock());
  const app = buildServer({
    store: breakable(opened, faults),
    clock,
    secrets,
    rateLimit: DEFAULT_RATE_LIMIT,
    signIn: demoSignIn(),
    webhooks: testEndpoints(opened, clock, secrets),
    logger: createLogger('silent'),
    metrics: createMetrics(),
    transport: { kind: 'tls', certificate },
  });
  const key = await addGuild(opened, clock());
  const newToken = async (scopes: readonly TokenScope[]): Promise<string> => {
    const moderator = { store: opened, clock, actor: null };
    const outcome = await createToken(moderator, { name: 'Test', scopes, expiresAt: null });
    return outcome.kind === 'created' ? outcome.token : '';
  };
  const token = await newToken(TOKEN_SCOPES);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const port = portOf(app.server);
  const openTls = () => connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  return {
    store: opened,
    app,
    url: `https://127.0.0.1:${port}`,
    certificate,
    clock,
    key,
    /** Of the management API, with every scope. */
    token,
    newToken,
    faults,
    call: (path: string, options: Call = {}) => call(port, path, { key, ...options }),
    /** Raw bytes over TLS. */
    raw: async (bytes: string) => parseAnswer(await exchange(port, bytes, openTls())),
    plainHttp: async (bytes: string) => parseAnswer(await exchange(port, bytes)),
    /** A request that never completes, with Node's timeout triggered instead of waited for. */
    async timeOut(bytes: string) {
      const accepted: Promise<Socket[]> = once(app.server, 'secureConnection');
      const answer = exchange(port, bytes, openTls());
      const [socket] = await accepted;
      const tooLate = Object.assign(new Error('too late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      app.server.emit('clientError', tooLate, socket);
      return parseAnswer(await answer);
    },
    setPremium: (isPremium: boolean) =>
      opened.guilds.setPremiumUntil(GUILD, isPremium ? clock() + DAY_MS : null),
    setGoal: (goal: Goal) => opened.goals.set(GUILD, goal, clock()),
    async stop() {
      await app.close();
      await opened.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** `failure`: what every call of the store throws. */
type Faults = { failure: Error | null };

/** A store that can fail, including its rate counters. */
function breakable(store: Store, faults: Faults): Store {
  const check = (): void => {
    if (faults.failure) throw faults.failure;
  };
  const hit: Store['rates']['hit'] = async (...args) => {
    check();
    return store.rates.hit(...args);
  };
  const admit: Store['admit'] = async (lookup) => {
    check();
    return store.admit(lookup);
  };
  return { ...store, rates: { hit }, admit };
}

async function addGuild(store: Store, now: number): Promise<string> {
  const key = generateApiKey();
  await store.guilds.add({ guildId: GUILD, name: 'A guild', createdAt: now });
  await store.guilds.setKey(GUILD, { hash: hashApiKey(key), sealed: 'unused', createdAt: now });
  const votes = [1, 26, 51].map((hours) => ({
    guildId: GUILD,
    userId: USER,
    castAt: now - hours * 3_600_000 + 600_000,
    externalId: 'Steve_42',
    isDoubled: false,
  }));
  await store.votes.import(
    (async function* () {
      yield votes;
    })(),
    now,
  );
  return key;
}

async function call(
  port: number,
  path: string,
  { method = 'GET', key, headers = {}, body = '' }: Call,
): Promise<LiveAnswer> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    rejectUnauthorized: false,
    headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers },
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/**
 * The whole server with one kind of sign-in, and a simulated browser that keeps cookies and follows redirects on request.
 *
 *   const { visitor, clock } = await openSignIn(t, () => demoSignIn());
 *   const page = await visitor().get('/sign-in?back=/dashboard');
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { type DatabaseUrl, readConfig } from '../../../src/config.ts';
import { deriveSecrets } from '../../../src/domain/secrets.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { createMetrics } from '../../../src/observability/prometheus.ts';
import { buildServer, type Transport } from '../../../src/server.ts';
import { requirePerson } from '../../../src/site/session.ts';
import { chooseSignIn, type SignInChoice } from '../../../src/site/sign-in/choose-sign-in.ts';
import type { SignIn, SignInLimits } from '../../../src/site/sign-in/sign-in.ts';
import { openStore } from '../../../src/store/open.ts';
import { DEFAULT_RATE_LIMIT } from '../../../src/store/rates.ts';
import type { Store } from '../../../src/store/store.ts';
import { type TestClock, testClock } from '../../support/clock.ts';
import { type FakeDiscord, startFakeDiscord } from '../../support/discord/fake-discord.ts';
import { openTestStore } from '../../support/sqlite.ts';
import { testEndpoints } from '../../support/webhooks.ts';

export const NOW = '2026-11-18T12:00:00.000Z';

export type Answer = {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  location: string;
  text: string;
};

export type Visitor = {
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Answer>;
};

export type OpenedSignIn = {
  app: FastifyInstance;
  clock: TestClock;
  store: Store;
  /** A new browser at this address. */
  visitor(ip?: string): Visitor;
};

export type Options = {
  secret?: string;
  clock?: TestClock;
  operators?: readonly string[];
  /** Of another process that shares the database. */
  store?: Store;
  signInLimits?: SignInLimits;
  transport?: Transport;
  /** Default: a new file. */
  database?: DatabaseUrl;
};

const TLS: Transport = { kind: 'tls', certificate: { cert: '', key: '', isSelfSigned: true } };

export async function openSignIn(
  t: TestContext,
  make: (clock: TestClock, store: Store) => SignIn,
  options: Options = {},
): Promise<OpenedSignIn> {
  const { secret = 'a master secret for tests', clock = testClock(NOW), transport = TLS } = options;
  const directory = await mkdtemp(join(tmpdir(), 'votary-sign-in-'));
  const store =
    options.store ??
    (await (options.database ? openStore(options.database) : openTestStore(join(directory, 'votary.db'))));
  const secrets = deriveSecrets(secret);
  const app = buildServer({
    store,
    clock,
    secrets,
    rateLimit: DEFAULT_RATE_LIMIT,
    signIn: withProbes(make(clock, store)),
    webhooks: testEndpoints(store, clock, secrets),
    logger: createLogger('silent'),
    metrics: createMetrics(),
    transport,
    ...(options.operators && { operators: new Set(options.operators) }),
    ...(options.signInLimits && { signInLimits: options.signInLimits }),
  });
  t.after(async () => {
    await app.close();
    if (!options.store) await store.close();
    await rm(directory, { recursive: true });
  });
  return { app, clock, store, visitor: (ip) => createVisitor(app, ip) };
}

/** The site as configured by the environment, and by `serve` with or without `--demo`. */
export function openWithEnv(
  t: TestContext,
  env: Record<string, string>,
  choice: SignInChoice = {},
  options: Options = {},
): Promise<OpenedSignIn> {
  return openSignIn(t, (clock) => chooseSignIn(readConfig(env), clock, choice), options);
}

/** Signs in through a Discord that can be made to fail. */
export async function openWithDiscord(
  t: TestContext,
  env: Record<string, string> = {},
  options: Options = {},
): Promise<OpenedSignIn & { discord: FakeDiscord }> {
  const discord = await startFakeDiscord();
  t.after(() => discord.close());
  return { ...(await openWithEnv(t, { ...discord.env, ...env }, {}, options)), discord };
}

/** Pages that show the request state that every page of the site gets. */
function withProbes(signIn: SignIn): SignIn {
  return {
    ...signIn,
    routes(app, limiter) {
      signIn.routes(app, limiter);
      app.get('/probe', async ({ person }) => ({ person }));
      app.get('/probe/private', async (request) => requirePerson(request));
      app.post('/probe/private', async (request) => requirePerson(request));
      app.get('/probe/guilds', async (request) => signIn.adminGuilds(request));
    },
  };
}

function createVisitor(app: FastifyInstance, ip = '127.0.0.1'): Visitor {
  const cookies = new Map<string, string>();
  const send = async (
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string>,
    payload?: string,
  ): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await app.inject({
      method,
      url,
      remoteAddress: ip,
      headers: { ...(cookie && { cookie }), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const line of [response.headers['set-cookie'] ?? []].flat()) keep(cookies, line);
    const { location = '' } = response.headers;
    return { status: response.statusCode, headers: response.headers, location, text: response.payload };
  };
  return {
    cookies,
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, form, headers = {}) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams(form).toString(),
      ),
  };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/max-age=0/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** The token that a form of this page carries. */
export function csrfTokenOf(page: Answer): string {
  return /name="_csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
}

/** The start of a sign-in that also requests the communities of the user. */
export function guildsSignIn(back: string): string {
  return `/sign-in?back=${encodeURIComponent(back)}&guilds=1`;
}

/** Goes from `/sign-in` through Discord's page, and stops at the callback URL. */
export async function consent(visitor: Visitor, back = '/probe'): Promise<string> {
  const start = await visitor.get(guildsSignIn(back));
  const { headers } = await fetch(start.location, { redirect: 'manual' });
  const { pathname, search } = new URL(headers.get('location') ?? '');
  return pathname + search;
}

export async function signInByDiscord(visitor: Visitor, back?: string): Promise<Answer> {
  return visitor.get(await consent(visitor, back));
}

export async function signInAsDemo(visitor: Visitor, userId: string, back = '/probe'): Promise<Answer> {
  const page = await visitor.get(`/sign-in?back=${encodeURIComponent(back)}`);
  return visitor.post('/sign-in', { _csrf: csrfTokenOf(page), person: userId, back });
}

export function personOf(answer: Answer): unknown {
  return JSON.parse(answer.text).person;
}

/**
 * One server with every kind of caller, and communities for them to call.
 *
 *   const fixture = await openFixture('discord');
 *   const community = await fixture.newCommunity();
 *   const answer = await fixture.send('voter', 'GET', `/dashboard/${community.guildId}`);
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { MINUTE_MS } from '../../src/domain/clock.ts';
import { deriveSecrets, type Secrets, seal, webhookSecretContext } from '../../src/domain/secrets.ts';
import { generateWebhookSecret } from '../../src/domain/webhooks/delivery.ts';
import { buildServer } from '../../src/server.ts';
import { versionOf } from '../../src/site/dashboard/key/routes.ts';
import { secretVersion } from '../../src/site/dashboard/webhooks/endpoint-view.ts';
import type { Brand } from '../../src/site/layout/brand.ts';
import { issueKey } from '../../src/store/guilds/guilds.ts';
import type { Store } from '../../src/store/store.ts';
import type { WebhookEndpoint } from '../../src/store/webhooks/store.ts';
import { newVisitor, tokenOf, type Visitor } from '../site/visitor.ts';
import { NOW, testServerDeps } from '../support/api.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { openTestStore } from '../support/sqlite.ts';
import { openSignInMethod, type SignInKind } from './access/sign-in-methods.ts';

export const CALLERS = [
  'nobody',
  'voter',
  'adminOfAnother',
  'validKey',
  'oldKey',
  'sanctionedKey',
  // Last, because actions of an admin can affect the others.
  'admin',
] as const;

/** Nobody in these tests has the matching private key. */
const DISCORD_APP = { publicKey: 'ab'.repeat(32), rest: null, hasReminders: false };

export type Caller = (typeof CALLERS)[number];

/** The names that pages show for callers who are users. */
export const NAMES = { voter: 'Sam', adminOfAnother: 'Charlie', admin: 'Alex' } as const;

export type Community = {
  guildId: string;
  otherGuildId: string;
  keys: Record<string, string>;
  /** No server listens there. */
  endpointId: string;
  endpointSecret: string;
  /** The fields of a form that replaces the key, or the secret of the endpoint. */
  keyVersion: string;
  endpointVersion: string;
  /** When the user VOTED_USER voted. */
  votedAt: number;
};

/** `cookies` are the cookies of the caller's browser afterwards. */
export type CallerResponse = {
  status: number;
  text: string;
  location: string;
  error: unknown;
  cookies: Record<string, string>;
};

export type Visitors = Record<'nobody' | keyof typeof NAMES, Visitor>;

export type Fixture = {
  app: FastifyInstance;
  store: Store;
  clock: TestClock;
  secrets: Secrets;
  /** Every route of the server as `METHOD /path`. */
  routes: readonly string[];
  visitors: Visitors;
  /** After a sign-out, which ends all sessions of a user. */
  signInAgain(): Promise<void>;
  /** A new listed community, administered only by the admin. */
  newCommunity(): Promise<Community>;
  send(caller: Caller, method: string, path: string, form?: Record<string, string>): Promise<CallerResponse>;
  close(): Promise<void>;
};

export async function openFixture(kind: SignInKind = 'demo', brand?: Brand): Promise<Fixture> {
  const directory = await mkdtemp(join(tmpdir(), 'votary-security-'));
  const store = await openTestStore(join(directory, 'votary.db'));
  const clock = testClock(NOW);
  const secrets = deriveSecrets('a master secret for tests');
  const signInMethod = await openSignInMethod(kind, clock);
  const deps = {
    ...testServerDeps(store, clock, secrets),
    signIn: signInMethod.signIn,
    discordApp: DISCORD_APP,
  };
  const app = buildServer(brand ? { ...deps, brand } : deps);
  const routes = collectRoutes(app);
  await app.ready();
  const enterAll = async (): Promise<Visitors> => ({
    nobody: newVisitor(app),
    voter: await signInMethod.enter(app, NAMES.voter),
    adminOfAnother: await signInMethod.enter(app, NAMES.adminOfAnother),
    admin: await signInMethod.enter(app, NAMES.admin),
  });
  const visitors = await enterAll();
  const signInAgain = async (): Promise<void> => void Object.assign(visitors, await enterAll());
  let communities = 0;
  let requests = 0;
  let present: Community | undefined;

  async function newCommunity(): Promise<Community> {
    communities += 1;
    clock.advance(MINUTE_MS);
    present = await makeCommunity(store, secrets, communities, clock());
    signInMethod.setAdminGuilds(NAMES.admin, [{ guildId: present.guildId, name: 'Ours' }]);
    signInMethod.setAdminGuilds(NAMES.adminOfAnother, [{ guildId: present.otherGuildId, name: 'Another' }]);
    return present;
  }

  const send: Fixture['send'] = async (caller, method, path, form) => {
    requests += 1;
    const cookies = Object.fromEntries(visitorOf(visitors, caller).cookies);
    const key = present?.keys[caller];
    const answer = await app.inject({
      method: method as HTTPMethods,
      url: path,
      remoteAddress: `198.51.${requests >> 8}.${requests & 255}`,
      headers: {
        accept: 'text/html',
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      cookies,
      ...(form ? { payload: new URLSearchParams(form).toString() } : {}),
    });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    const error = isJson && answer.payload ? Object(answer.json()).error : undefined;
    const { location = '' } = answer.headers;
    for (const { name, value } of answer.cookies) cookies[name] = value;
    return { status: answer.statusCode, text: answer.payload, location, error, cookies };
  };

  async function close() {
    await app.close();
    await store.close();
    await signInMethod.close();
    await rm(directory, { recursive: true });
  }
  return { app, store, clock, secrets, routes, visitors, signInAgain, newCommunity, send, close };
}

/** Must be called before the server is ready: routes are reported as they are added. */
function collectRoutes(app: FastifyInstance): string[] {
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push(`${one} ${url}`);
  });
  return routes;
}

/** The name that pages show for the user with these cookies; null if signed out. */
export async function nameOnPages({ app }: Fixture, { cookies }: CallerResponse): Promise<string | null> {
  // A page that reads nothing but the session.
  const page = await app.inject({ url: '/docs/guides', cookies });
  return /class="person-name">([^<]*)</.exec(page.payload)?.[1] ?? null;
}

async function makeCommunity(store: Store, secrets: Secrets, number: number, at: number): Promise<Community> {
  const [guildId = '', otherGuildId = '', sanctionedId = ''] = [1, 2, 3].map(
    (kind) => `${kind}${String(number).padStart(17, '0')}`,
  );
  for (const id of [guildId, otherGuildId, sanctionedId]) {
    await store.guilds.add({ guildId: id, name: `Guild ${id}`, createdAt: at });
    await store.guilds.setPremiumUntil(id, at + 1e9);
  }
  const oldKey = (await issueKey(store, secrets, guildId, at)) ?? '';
  const validKey = (await issueKey(store, secrets, guildId, at + 1)) ?? '';
  const sanctionedKey = (await issueKey(store, secrets, sanctionedId, at)) ?? '';
  await store.guilds.setSanction(sanctionedId, { since: at, reason: null });
  await store.votes.cast({
    guildId,
    userId: VOTED_USER,
    castAt: at - MINUTE_MS,
    externalId: null,
    isDoubled: false,
  });
  const keyVersion = versionOf(await store.guilds.findKey(guildId));
  const endpoint = await addEndpoint(store, secrets, guildId, at);
  const votedAt = at - MINUTE_MS;
  const keys = { oldKey, validKey, sanctionedKey };
  return { guildId, otherGuildId, keys, keyVersion, votedAt, ...endpoint };
}

/** Bypasses the code that records it: a community in these tests has no activity yet. */
async function addEndpoint(store: Store, secrets: Secrets, guildId: string, createdAt: number) {
  const endpointId = `ep_${guildId.slice(-16)}`;
  const endpointSecret = generateWebhookSecret();
  const current = seal(endpointSecret, webhookSecretContext(guildId, endpointId), secrets.sealKey);
  const endpoint: WebhookEndpoint = {
    guildId,
    endpointId,
    name: null,
    destination: { kind: 'https' },
    url: 'http://127.0.0.1:1029/hook',
    events: ['vote_received'],
    secrets: { current, previous: null },
    createdAt,
    failingSince: null,
    disabled: null,
    pausedAt: null,
  };
  await store.webhooks.addEndpoint(endpoint, 1);
  return { endpointId, endpointSecret, endpointVersion: secretVersion(endpoint) };
}

/** If a caller sees this user id, they have seen the votes of the community. */
export const VOTED_USER = '299999999999999999';

/** The browser of a caller. A caller with a key has none, so it gets one that is signed out. */
export function visitorOf(visitors: Visitors, caller: Caller): Visitor {
  return isVisitor(caller) ? visitors[caller] : visitors.nobody;
}

function isVisitor(caller: Caller): caller is keyof Visitors {
  return caller === 'nobody' || caller in NAMES;
}

/** A token from this visitor's own forms; empty if no page has a form for them. */
export async function ownToken(visitor: Visitor): Promise<string> {
  const page = await visitor.get('/dashboard');
  const form = page.status === 200 ? page : await visitor.get('/sign-in');
  return form.status === 200 ? tokenOf(form) : '';
}

/**
 * One server with everybody who may knock at it, and a community to knock for.
 *
 *   const fixture = await openFixture('discord');
 *   const community = await fixture.newCommunity();
 *   const answer = await fixture.knock('voter', 'GET', `/dashboard/${community.guildId}`);
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
import { issueKey } from '../../src/store/keys.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { WebhookEndpoint } from '../../src/store/webhooks/store.ts';
import { newVisitor, tokenOf, type Visitor } from '../site/visitor.ts';
import { NOW, testServerDeps } from '../support/api.ts';
import { type TestClock, testClock } from '../support/clock.ts';
import { openWayIn, type WayInKind } from './ways-in.ts';

export const CALLERS = [
  'nobody',
  'voter',
  'adminOfAnother',
  'validKey',
  'oldKey',
  'sanctionedKey',
  // The last one: what an admin does can end what the others had.
  'admin',
] as const;

/** Nobody here has the key that belongs to it. */
const DISCORD_APP = { publicKey: 'ab'.repeat(32), rest: null, hasReminders: false };

export type Caller = (typeof CALLERS)[number];

/** What pages call those callers who are people. */
export const NAMES = { voter: 'Sam', adminOfAnother: 'Charlie', admin: 'Alex' } as const;

export type Community = {
  guildId: string;
  otherGuildId: string;
  keys: Record<string, string>;
  /** Nothing listens where it leads to. */
  endpointId: string;
  endpointSecret: string;
  /** What a form says that means to replace the key, or the secret of the endpoint. */
  keyVersion: string;
  endpointVersion: string;
  /** When the user VOTED_USER voted. */
  votedAt: number;
};

/** `cookies` are those that the caller's browser has after it. */
export type Knock = {
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
  /** A new listed community: from now on the admin administers it, and nobody else does. */
  newCommunity(): Promise<Community>;
  knock(caller: Caller, method: string, path: string, form?: Record<string, string>): Promise<Knock>;
  close(): Promise<void>;
};

export async function openFixture(kind: WayInKind = 'demo', brand?: Brand): Promise<Fixture> {
  const directory = await mkdtemp(join(tmpdir(), 'votary-security-'));
  const store = await openStore({ kind: 'sqlite', path: join(directory, 'votary.db') });
  const clock = testClock(NOW);
  const secrets = deriveSecrets('a master secret for tests');
  const wayIn = await openWayIn(kind, clock);
  const deps = { ...testServerDeps(store, clock, secrets), signIn: wayIn.signIn, discordApp: DISCORD_APP };
  const app = buildServer(brand ? { ...deps, brand } : deps);
  const routes = collectRoutes(app);
  await app.ready();
  const visitors = {
    nobody: newVisitor(app),
    voter: await wayIn.enter(app, NAMES.voter),
    adminOfAnother: await wayIn.enter(app, NAMES.adminOfAnother),
    admin: await wayIn.enter(app, NAMES.admin),
  };
  let communities = 0;
  let knocks = 0;
  let present: Community | undefined;

  async function newCommunity(): Promise<Community> {
    communities += 1;
    clock.advance(MINUTE_MS);
    present = await makeCommunity(store, secrets, communities, clock());
    wayIn.setAdminGuilds(NAMES.admin, [{ guildId: present.guildId, name: 'Ours' }]);
    wayIn.setAdminGuilds(NAMES.adminOfAnother, [{ guildId: present.otherGuildId, name: 'Another' }]);
    return present;
  }

  const knock: Fixture['knock'] = async (caller, method, path, form) => {
    knocks += 1;
    const cookies = Object.fromEntries(visitorOf(visitors, caller).cookies);
    const key = present?.keys[caller];
    const answer = await app.inject({
      method: method as HTTPMethods,
      url: path,
      remoteAddress: `198.51.${knocks >> 8}.${knocks & 255}`,
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
    await wayIn.close();
    await rm(directory, { recursive: true });
  }
  return { app, store, clock, secrets, routes, visitors, newCommunity, knock, close };
}

/** Must be called before the server is ready: routes are told as they are added. */
function collectRoutes(app: FastifyInstance): string[] {
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push(`${one} ${url}`);
  });
  return routes;
}

/** What pages call somebody whose browser has these cookies; null is nobody. */
export async function nameOnPages({ app }: Fixture, { cookies }: Knock): Promise<string | null> {
  const page = await app.inject({ url: '/', cookies });
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

/** Past the doors that write it down: a community of these tests has done nothing yet. */
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

/** Whoever sees this user id has seen the votes of the community. */
export const VOTED_USER = '299999999999999999';

/** The browser of a caller. A key has none, and so one that nobody is signed in with. */
export function visitorOf(visitors: Visitors, caller: Caller): Visitor {
  return isVisitor(caller) ? visitors[caller] : visitors.nobody;
}

function isVisitor(caller: Caller): caller is keyof Visitors {
  return caller === 'nobody' || caller in NAMES;
}

/** A token that this visitor's own forms carry; empty where no page has a form for them. */
export async function ownToken(visitor: Visitor): Promise<string> {
  const page = await visitor.get('/dashboard');
  const form = page.status === 200 ? page : await visitor.get('/sign-in');
  return form.status === 200 ? tokenOf(form) : '';
}

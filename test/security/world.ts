/**
 * One server with everybody who may knock at it, and a community to knock for.
 *
 *   const world = await openWorld(t);
 *   const community = await world.newCommunity();
 *   const answer = await world.knock('voter', 'GET', `/dashboard/${community.guildId}`);
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { seal, webhookSecretContext } from '../../src/domain/seal.ts';
import { deriveSecrets, type Secrets } from '../../src/domain/secrets.ts';
import { generateWebhookSecret } from '../../src/domain/webhook-signature.ts';
import { buildServer } from '../../src/server.ts';
import { demoSignIn } from '../../src/site/sign-in/demo-sign-in.ts';
import type { AdminGuild } from '../../src/site/sign-in/sign-in.ts';
import { issueKey } from '../../src/store/keys.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { newVisitor, tokenOf, type Visitor } from '../site/visitor.ts';
import { NOW, testServerDeps } from '../support/api.ts';
import { type TestClock, testClock } from '../support/clock.ts';

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

export type Caller = (typeof CALLERS)[number];

export type Community = {
  guildId: string;
  otherGuildId: string;
  keys: Record<string, string>;
  /** Nothing listens where it leads to. */
  endpointId: string;
  endpointSecret: string;
};

export type Knock = { status: number; text: string; location: string; error: unknown };

export type World = {
  app: FastifyInstance;
  store: Store;
  clock: TestClock;
  secrets: Secrets;
  /** Every route of the server as `METHOD /path`. */
  routes: readonly string[];
  visitors: Record<'nobody' | 'voter' | 'adminOfAnother' | 'admin', Visitor>;
  /** A new listed community: from now on the admin administers it, and nobody else does. */
  newCommunity(): Promise<Community>;
  knock(caller: Caller, method: string, path: string, form?: Record<string, string>): Promise<Knock>;
  close(): Promise<void>;
};

export async function openWorld(): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'votary-security-'));
  const store = await openStore({ kind: 'sqlite', path: join(directory, 'votary.db') });
  const clock = testClock(NOW);
  const secrets = deriveSecrets('a master secret for tests');
  const adminGuilds = new Map<string | undefined, AdminGuild[]>();
  const signIn = {
    ...demoSignIn({ clock }),
    adminGuilds: async ({ person }: { person: { name: string } | null }) =>
      adminGuilds.get(person?.name) ?? [],
  };
  const app = buildServer({ ...testServerDeps(store, clock, secrets), signIn });
  const routes = collectRoutes(app);
  await app.ready();
  const visitors = {
    nobody: newVisitor(app),
    voter: await signedIn(app, 'Sam'),
    adminOfAnother: await signedIn(app, 'Charlie'),
    admin: await signedIn(app, 'Alex'),
  };
  let communities = 0;
  let knocks = 0;
  let present: Community | undefined;

  async function newCommunity(): Promise<Community> {
    communities += 1;
    present = await makeCommunity(store, secrets, communities);
    adminGuilds.set('Alex', [{ guildId: present.guildId, name: 'Ours' }]);
    adminGuilds.set('Charlie', [{ guildId: present.otherGuildId, name: 'Another' }]);
    return present;
  }

  const knock: World['knock'] = async (caller, method, path, form) => {
    knocks += 1;
    const visitor = caller in visitors ? visitors[caller as keyof typeof visitors] : undefined;
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
      cookies: Object.fromEntries((visitor ?? visitors.nobody).cookies),
      ...(form ? { payload: new URLSearchParams(form).toString() } : {}),
    });
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    const error = isJson && answer.payload ? Object(answer.json()).error : undefined;
    const { location = '' } = answer.headers;
    return { status: answer.statusCode, text: answer.payload, location, error };
  };

  async function close() {
    await app.close();
    await store.close();
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

async function signedIn(app: FastifyInstance, name: string): Promise<Visitor> {
  const visitor = newVisitor(app);
  await visitor.signIn(name);
  return visitor;
}

async function makeCommunity(store: Store, secrets: Secrets, number: number): Promise<Community> {
  const [guildId = '', otherGuildId = '', sanctionedId = ''] = [1, 2, 3].map(
    (kind) => `${kind}${String(number).padStart(17, '0')}`,
  );
  const at = Date.parse(NOW);
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
    castAt: at - 60_000,
    externalId: null,
    isDoubled: false,
  });
  const endpoint = await addEndpoint(store, secrets, guildId);
  return { guildId, otherGuildId, keys: { oldKey, validKey, sanctionedKey }, ...endpoint };
}

/** Past the doors that write it down: a community of these tests has done nothing yet. */
async function addEndpoint(store: Store, secrets: Secrets, guildId: string) {
  const endpointId = `ep_${guildId.slice(-16)}`;
  const endpointSecret = generateWebhookSecret();
  const current = seal(endpointSecret, webhookSecretContext(guildId, endpointId), secrets.sealKey);
  const endpoint = {
    guildId,
    endpointId,
    url: 'http://127.0.0.1:9/hook',
    events: ['vote_received' as const],
    secrets: { current, previous: null },
    createdAt: Date.parse(NOW),
  };
  await store.webhooks.addEndpoint(endpoint, 1);
  return { endpointId, endpointSecret };
}

/** Whoever sees this user id has seen the votes of the community. */
export const VOTED_USER = '299999999999999999';

/** A token that this visitor's own forms carry. */
export async function ownToken(visitor: Visitor): Promise<string> {
  const page = await visitor.get('/dashboard');
  return tokenOf(page.status === 200 ? page : await visitor.get('/sign-in'));
}

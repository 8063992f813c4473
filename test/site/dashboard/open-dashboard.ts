/**
 * The dashboard of one guild with three users: Alex administers it, Charlie administers another guild, and Sam none.
 *
 *   const { alex, path } = await openDashboard(t, await open());
 *   const page = await alex.get(path('/key'));
 */
import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { buildServer, type ServerDeps } from '../../../src/server.ts';
import { demoSignIn } from '../../../src/site/sign-in/demo-sign-in.ts';
import type { AdminGuild, SignIn } from '../../../src/site/sign-in/sign-in.ts';
import type { ActivityAction } from '../../../src/store/activities.ts';
import type { Store } from '../../../src/store/store.ts';
import { type Api, testServerDeps } from '../../support/api.ts';
import { newVisitor, type PageAnswer, type Visitor } from '../visitor.ts';

export type Dashboard = Api & {
  app: FastifyInstance;
  alex: Visitor;
  sam: Visitor;
  charlie: Visitor;
  /** The guild that Charlie administers; it is not listed. */
  otherGuildId: string;
  /** What Discord reports about Alex; tests can change it. */
  guildsOfAlex: AdminGuild[];
  path(tab?: string): string;
  /** Who did what, newest first. */
  activities(guildId?: string): Promise<[string | null, ActivityAction][]>;
};

export async function openDashboard(
  t: TestContext,
  api: Api,
  publicUrl: string | null = null,
  given?: Partial<ServerDeps>,
): Promise<Dashboard> {
  const { store, guildId } = api;
  const otherGuildId = `4${guildId.slice(1)}`;
  const guildsOfAlex = [{ guildId, name: 'A guild' }];
  const isShared = publicUrl === null && !given;
  const { app, guilds } = isShared ? sharedServer(api) : buildDashboard(api, publicUrl, given);
  t.after(() => (isShared ? guilds.clear() : app.close()));
  guilds.set('Alex', guildsOfAlex).set('Charlie', [{ guildId: otherGuildId, name: 'Another guild' }]);
  const [alex, sam, charlie] = await Promise.all(['Alex', 'Sam', 'Charlie'].map((name) => enter(app, name)));
  assert.ok(alex && sam && charlie);
  return {
    ...api,
    app,
    alex,
    sam,
    charlie,
    otherGuildId,
    guildsOfAlex,
    path: (tab = '') => `/dashboard/${guildId}${tab}`,
    activities: async (of = guildId) => {
      const found = await store.activities.recent(of, 100);
      return found.map(({ actor, action }) => [actor?.name ?? null, action]);
    },
  };
}

type DashboardServer = { app: FastifyInstance; guilds: Map<string | undefined, AdminGuild[]> };

/** One server for all tests of a suite: each test sets who administers what. */
const shared = new Map<Store, DashboardServer>();
after(async () => {
  for (const { app } of shared.values()) await app.close();
});

function sharedServer(api: Api): DashboardServer {
  const server = shared.get(api.store) ?? buildDashboard(api, null);
  shared.set(api.store, server);
  return server;
}

function buildDashboard(
  { store, clock, secrets }: Api,
  publicUrl: string | null,
  given?: Partial<ServerDeps>,
): DashboardServer {
  const guilds: DashboardServer['guilds'] = new Map();
  const adminGuilds: SignIn['adminGuilds'] = async ({ person }) => guilds.get(person?.name) ?? [];
  const signIn: SignIn = { ...demoSignIn(), adminGuilds };
  const deps = { ...testServerDeps(store, clock, secrets), signIn, publicUrl, ...given };
  return { app: buildServer(deps), guilds };
}

async function enter(app: FastifyInstance, name: string): Promise<Visitor> {
  const visitor = newVisitor(app);
  await visitor.signIn(name);
  return visitor;
}

/** The key that a page shows, if it shows one. */
export function keyIn({ text }: PageAnswer): string | undefined {
  return /vty_[0-9A-Za-z]{36}/.exec(text)?.[0];
}

/** The key that a form on this page would replace. */
export function replacesIn({ text }: PageAnswer): string {
  const value = /name="replaces" value="([^"]*)"/.exec(text)?.[1];
  assert.ok(value !== undefined, 'the page has no form that makes a key');
  return value;
}

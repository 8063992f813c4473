/**
 * Everything a server needs to run, in a folder of its own, on either database.
 *
 *   const site = await makeSite('postgres');
 *   await site.withStore((store) => store.guilds.add(…));
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { DatabaseUrl } from '../../src/config.ts';
import { HOUR_MS } from '../../src/domain/clock.ts';
import { deriveSecrets, type Secrets } from '../../src/domain/secrets.ts';
import { loadMasterSecret } from '../../src/secrets/master-secret.ts';
import { issueKey } from '../../src/store/guilds/guilds.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { createTestDatabase } from '../../test/support/postgres/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../../test/support/postgres/postgres-server.ts';
import { testEndpoints } from '../../test/support/webhooks.ts';
import type { Environment } from './processes.ts';
import type { Findings } from './promise.ts';

export type Kind = 'sqlite' | 'postgres';

/** Not the guild of the demo, to which `serve --demo` would add votes. */
export const GUILD = '110000000000000001';
const MASTER_SECRET = 'a master secret for torture';

export type Site = {
  kind: Kind;
  folder: string;
  env: Environment;
  database: DatabaseUrl;
  secrets: Secrets;
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  remove(): Promise<void>;
};

let shared: Promise<PostgresServer> | undefined;

/** Commits must survive a killed server process; only a power failure may lose them here. */
const POSTGRES_SETTINGS = {
  max_connections: '200',
  shared_buffers: '64MB',
  fsync: 'off',
  synchronous_commit: 'on',
};

export function startTorturePostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  return startPostgresServer({ settings: { ...POSTGRES_SETTINGS, ...settings } });
}

/** One server for all trials that do not damage it. */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startTorturePostgres();
  return shared;
}

export async function stopSharedPostgres(): Promise<void> {
  await (await shared)?.remove();
  shared = undefined;
}

/** A site with its own database: a file, or a database on the shared or the given server. */
export async function makeSite(kind: Kind, server?: PostgresServer): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-torture-'));
  if (kind === 'sqlite') return siteOn({ kind: 'sqlite', path: join(folder, 'data', 'votary.db') }, folder);
  const { url, drop } = await createTestDatabase((server ?? (await sharedPostgres())).url);
  return siteOn({ kind: 'postgres', url }, folder, drop);
}

/** `drop` removes the database if it is not in the folder. */
export function siteOn(database: DatabaseUrl, folder: string, drop?: () => Promise<void>): Site {
  const address = database.kind === 'sqlite' ? `sqlite:${database.path}` : database.url;
  return {
    kind: database.kind,
    folder,
    database,
    secrets: deriveSecrets(MASTER_SECRET),
    env: {
      VOTARY_PORT: '0',
      VOTARY_DATA_DIR: join(folder, 'data'),
      VOTARY_DATABASE_URL: address,
      VOTARY_SECRET: MASTER_SECRET,
      // All voters of a trial come from this machine.
      VOTARY_NETWORK_VOTES: '0,0',
    },
    withStore: async (work) => {
      const store = await openStore(database);
      return work(store).finally(() => store.close());
    },
    remove: async () => {
      await drop?.().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same site with its master secret in a file in the data folder, as without configuration. */
export async function withSecretInFile(site: Site): Promise<Site> {
  const { VOTARY_SECRET: _configured, ...env } = site.env;
  return { ...site, env, secrets: await readFileSecrets(site) };
}

/** The current content of the secret file, which is created if it does not exist. */
export async function readFileSecrets({ env }: Site): Promise<Secrets> {
  return deriveSecrets(await loadMasterSecret({ secret: null, dataDir: env.VOTARY_DATA_DIR ?? '' }));
}

/** Adds a guild and returns its key. */
export function addGuild(site: Site, guildId: string = GUILD): Promise<string> {
  return site.withStore(async (store) => {
    await store.guilds.add({ guildId, name: `Guild ${guildId}`, createdAt: Date.now() });
    return (await issueKey(store, site.secrets, guildId, Date.now())) ?? '';
  });
}

/** Sends the votes of the guild to a receiver on this machine. Only a server with `--demo` does so. */
export function addEndpoint(site: Site, url: string): Promise<void> {
  return site.withStore(async (store) => {
    const endpoints = testEndpoints(store, Date.now, site.secrets);
    const added = await endpoints.addEndpoint(GUILD, { url, events: ['vote_received'] }, null);
    if (!added.ok) throw new Error(`the webhook was not added: ${added.fault}`);
  });
}

/** The id of the guild that `addGuilds` creates at this index, from 0. */
export function numberedGuild(index: number): string {
  return String(500_000_000_000_000_000n + BigInt(index));
}

/** Many guilds with a key each, so that no single rate limit interferes. */
export function addGuilds(site: Site, count: number): Promise<string[]> {
  return site.withStore(async (store) => {
    const keys: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const guildId = numberedGuild(i);
      await store.guilds.add({ guildId, name: `Guild ${i}`, createdAt: Date.now() });
      await store.guilds.setPremiumUntil(guildId, Date.now() + 1e10);
      keys.push((await issueKey(store, site.secrets, guildId, Date.now())) ?? '');
    }
    return keys;
  });
}

/** SQLite's own integrity check. PostgreSQL has none: it recovers from its log. */
export function checkIntegrity({ database }: Site, findings: Findings): void {
  if (database.kind !== 'sqlite') return;
  const db = new Database(database.path);
  const state = db.pragma('integrity_check', { simple: true });
  db.close();
  findings.expect(state === 'ok', `integrity_check: ${String(state)}`);
}

/** When each user voted, oldest first. */
export function readVotes(site: Site, guildId: string = GUILD): Promise<Map<string, number[]>> {
  return site.withStore(async (store) => {
    const votes = new Map<string, number[]>();
    const everything = { from: 0, to: Date.now() + HOUR_MS };
    for await (const { userId, castAt } of store.votes.export(guildId, everything)) {
      const times = votes.get(userId) ?? [];
      votes.set(userId, [...times, castAt]);
    }
    return votes;
  });
}

/** Users with two votes within an hour. */
export function doubledUsers(votes: ReadonlyMap<string, number[]>): string[] {
  return [...votes]
    .filter(([, times]) => times.some((at, i) => i > 0 && at - (times[i - 1] ?? 0) < HOUR_MS))
    .map(([userId]) => userId);
}

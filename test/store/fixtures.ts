import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { DatabaseUrl } from '../../src/config.ts';
import { HOUR_MS, type Instant } from '../../src/domain/clock.ts';
import type { Vote } from '../../src/domain/votes/vote.ts';
import type { ListedGuild } from '../../src/store/guilds/listing.ts';
import type { Store } from '../../src/store/store.ts';
import {
  createMigratedDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/postgres/postgres.ts';
import { writeMigratedFile } from '../support/sqlite.ts';

/** How the contract gets databases of one kind. */
export type Databases = {
  /** Without a schema. */
  createEmpty(): Promise<FreshDatabase>;
  /** With the current schema, and otherwise empty: a copy, which takes less time than the migrations. */
  createMigrated(): Promise<FreshDatabase>;
};

export type FreshDatabase = {
  database: DatabaseUrl;
  /** Runs SQL on it, bypassing the store. */
  run(sql: string): Promise<void>;
  /** Reads from it, bypassing the store. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
};

export const SQLITE: Databases = {
  createEmpty: createSqliteDatabase,
  async createMigrated() {
    const fresh = await createSqliteDatabase();
    await mkdir(dirname(fresh.database.path));
    await writeMigratedFile(fresh.database.path);
    return fresh;
  },
};

export const POSTGRES: Databases = {
  createEmpty: createPostgresDatabase,
  createMigrated: async () => accessPostgres(await createMigratedDatabase()),
};

async function createSqliteDatabase() {
  const folder = await mkdtemp(join(tmpdir(), 'votary-store-'));
  const path = join(folder, 'new', 'votary.db');
  return {
    database: { kind: 'sqlite' as const, path },
    async run(sql: string) {
      await mkdir(dirname(path), { recursive: true });
      new Database(path).exec(sql).close();
    },
    async query(sql: string) {
      const db = new Database(path, { readonly: true });
      const rows = db.prepare<[], Record<string, unknown>>(sql).all();
      db.close();
      return rows;
    },
    drop: () => rm(folder, { recursive: true }),
  };
}

async function createPostgresDatabase(): Promise<FreshDatabase> {
  return accessPostgres(await createTestDatabase());
}

/** Connecting takes longer than most statements, so they share connections, which open with the first. */
function accessPostgres({ url, drop }: TestDatabase): FreshDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 4, allowExitOnIdle: true });
  // A test may end every session of its database; the next statement connects again.
  pool.on('error', () => {});
  return {
    database: { kind: 'postgres', url },
    run: async (sql) => void (await pool.query(sql)),
    query: async (sql) => (await pool.query(sql)).rows,
    async drop() {
      await pool.end();
      await drop();
    },
  };
}

export const NOW: Instant = Date.parse('2026-11-15T12:00:00.000Z');
export const USER = '200000000000000001';
export const OTHER_USER = '200000000000000002';

/** The hour before NOW, as a vote check uses it. */
export const LAST_HOUR = { after: NOW - HOUR_MS, until: NOW };

let guildsMade = 0;

export async function addGuild(store: Store, name = 'A guild'): Promise<string> {
  guildsMade += 1;
  const guildId = String(100_000_000_000_000_000n + BigInt(guildsMade));
  await store.guilds.add({ guildId, name, createdAt: NOW });
  return guildId;
}

export function voteOf(guildId: string, given: Partial<Vote> = {}): Vote {
  return { guildId, userId: USER, castAt: NOW, externalId: null, isDoubled: false, ...given };
}

export async function* batches<V extends Vote>(...votes: V[][]): AsyncGenerator<V[]> {
  yield* votes;
}

export async function importAll(store: Store, ...votes: Vote[]): Promise<void> {
  await store.votes.import(batches(votes), NOW);
}

export const ALL_TIME = { from: 0, to: NOW + 1000 * HOUR_MS };

/** The guild as the public listing shows it; `undefined` if it is not listed. */
export async function listedGuild(store: Store, guildId: string): Promise<ListedGuild | undefined> {
  const before = String(BigInt(guildId) - 1n);
  return (await store.listing.read(NOW, before, 1)).find((guild) => guild.guildId === guildId);
}

export async function votesOf(store: Store, guildId: string): Promise<Vote[]> {
  return Array.fromAsync(store.votes.export(guildId, ALL_TIME));
}

/**
 * The only file that names a database. Each driver is loaded on demand, because a program uses one of them.
 *
 *   const store = await openStore(config.database);
 */
import { existsSync } from 'node:fs';
import type { DatabaseUrl } from '../config.ts';
import {
  BackupError,
  type BackupRequest,
  type CheckedCopy,
  type Restored,
  type RestoreRequest,
} from './maintenance/backup.ts';
import type { MigrationResult } from './maintenance/migrations.ts';
import type { DatabaseReport } from './maintenance/report.ts';
import type { SealedTexts, SealedTextsOptions } from './maintenance/reseal.ts';
import type { LocalCountObserver } from './rates.ts';
import type { QueryObserver, Store, UnopenedStore } from './store.ts';

export type StoreOptions = {
  /** The maximum number of PostgreSQL connections. */
  poolSize?: number;
  onQuery?: QueryObserver;
  onLocalCount?: LocalCountObserver;
  /** For each statement on PostgreSQL; null for commands, which have none. Default: ten seconds. */
  timeLimitMs?: number | null;
};

/** Brings the database to the current schema, then opens it. Throws `StoreOpenError`. */
export async function openStore(database: DatabaseUrl, options: StoreOptions = {}): Promise<Store> {
  const { store, open } = await createStore(database, options);
  try {
    await open();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** For a service that starts before its database. Only PostgreSQL can be opened later. Throws `StoreOpenError`. */
export async function createStore(database: DatabaseUrl, options: StoreOptions = {}): Promise<UnopenedStore> {
  switch (database.kind) {
    case 'sqlite': {
      const store = await (await import('./sqlite/index.ts')).openSqliteStore(database.path, options);
      return { store, open: async (check) => check?.(store) };
    }
    case 'postgres':
      return (await import('./postgres/index.ts')).createPostgresStore(database.url, options);
  }
}

/** `isTaken`: another service has the database open, which only PostgreSQL supports. */
export type ServiceLock = { isTaken: boolean; release(): void };

/** Detects whether another service uses the same SQLite file. The lock is released when the process exits. */
export async function lockForService(database: DatabaseUrl): Promise<ServiceLock> {
  if (database.kind === 'postgres') return { isTaken: false, release: () => {} };
  return (await import('./sqlite/service-lock.ts')).lockForService(database.path);
}

/** Brings the database to the current schema. Throws `StoreOpenError`. */
export async function migrateDatabase(database: DatabaseUrl): Promise<MigrationResult> {
  switch (database.kind) {
    case 'sqlite':
      return (await import('./sqlite/migrate.ts')).migrateSqlite(database.path);
    case 'postgres':
      return (await import('./postgres/migrate.ts')).migratePostgres(database.url);
  }
}

/**
 * The state of the database, read without changing it; `undefined` when it does not exist yet. Throws `StoreOpenError`.
 */
export async function inspectDatabase(database: DatabaseUrl): Promise<DatabaseReport | undefined> {
  switch (database.kind) {
    case 'sqlite':
      if (!existsSync(database.path)) return undefined;
      return (await import('./sqlite/inspect.ts')).inspectSqlite(database.path);
    case 'postgres':
      return (await import('./postgres/inspect.ts')).inspectPostgres(database.url);
  }
}

/** Copies the database while it is in use. Throws `BackupError` and `StoreOpenError`. */
export async function backupDatabase(database: DatabaseUrl, request: BackupRequest): Promise<CheckedCopy> {
  switch (database.kind) {
    case 'sqlite':
      return (await import('./sqlite/backup.ts')).backupSqlite(database.path, request);
    case 'postgres':
      throw new BackupError(
        `PostgreSQL has its own tool for this: pg_dump --format=custom --file=${request.file} "$VOTARY_DATABASE_URL"`,
      );
  }
}

/** Replaces a database that is not in use with a backup. Throws `BackupError` and `StoreOpenError`. */
export async function restoreDatabase(database: DatabaseUrl, request: RestoreRequest): Promise<Restored> {
  switch (database.kind) {
    case 'sqlite':
      return (await import('./sqlite/backup.ts')).restoreSqlite(database.path, request);
    case 'postgres':
      throw new BackupError(
        `PostgreSQL has its own tool for this: pg_restore --clean --if-exists --single-transaction --exit-on-error --dbname="$VOTARY_DATABASE_URL" ${request.file}`,
      );
  }
}

/**
 * Runs `work` while no other program uses the database, as far as that is visible, or, if `isShared`, also while others
 * use it. Throws `StoreOpenError`.
 */
export async function withSealedTexts<T>(
  database: DatabaseUrl,
  work: (sealed: SealedTexts) => Promise<T>,
  options: SealedTextsOptions = {},
): Promise<T> {
  switch (database.kind) {
    case 'sqlite':
      return (await import('./sqlite/reseal.ts')).withSealedTextsSqlite(database.path, work, options);
    case 'postgres':
      return (await import('./postgres/reseal.ts')).withSealedTextsPostgres(database.url, work, options);
  }
}

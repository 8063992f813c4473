/**
 * The only file that names a database. Each driver is loaded on demand, because a program uses one of them.
 *
 *   const store = await openStore(config.database);
 */
import { existsSync, statSync } from 'node:fs';
import type { DatabaseUrl } from '../config.ts';
import {
  BackupError,
  type BackupRequest,
  type CheckedCopy,
  type Restored,
  type RestoreRequest,
} from './maintenance/backup.ts';
import {
  type Copied,
  CopyError,
  type CopyMode,
  type CopyOptions,
  type CopySource,
  type CopyTarget,
  copyTables,
  sameDatabase,
} from './maintenance/copy.ts';
import type { MigrationResult } from './maintenance/migrations.ts';
import type { DatabaseReport } from './maintenance/report.ts';
import type { SealedTexts, SealedTextsOptions } from './maintenance/reseal.ts';
import type { Vacuumed } from './maintenance/vacuum.ts';
import type { LocalCountObserver } from './rates.ts';
import { type QueryObserver, type Store, StoreOpenError, type UnopenedStore } from './store.ts';

export type StoreOptions = {
  /** The maximum number of PostgreSQL connections. */
  poolSize?: number;
  onQuery?: QueryObserver;
  onLocalCount?: LocalCountObserver;
  /** For each statement on PostgreSQL; null for commands, which have none. Default: ten seconds. */
  timeLimitMs?: number | null;
  /** For commands, which use a few statements: SQLite's own stores prepare each when it is first used, as shared ones do. */
  preparesOnUse?: boolean;
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

/** Frees the space of deleted rows. Throws `VacuumError` and `StoreOpenError`. */
export async function vacuumDatabase(database: DatabaseUrl): Promise<Vacuumed> {
  switch (database.kind) {
    case 'sqlite':
      return (await import('./sqlite/vacuum.ts')).vacuumSqlite(database.path);
    case 'postgres':
      return (await import('./postgres/vacuum.ts')).vacuumPostgres(database.url);
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

/** Copies everything into an empty database of either kind. Throws `CopyError` and `StoreOpenError`. */
export async function copyDatabase(
  from: DatabaseUrl,
  to: DatabaseUrl,
  options: CopyOptions,
): Promise<Copied> {
  if (await isSame(from, to)) throw sameDatabase();
  try {
    return await withCopySource(from, options.isLive, (source) =>
      withCopyTarget(to, options.mode, (target) => copyTables(source, target, options)),
    );
  } catch (error) {
    if (error instanceof CopyError || error instanceof StoreOpenError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CopyError(`the copy failed: ${reason}; once that is solved, continue it with --resume`, error);
  }
}

async function isSame(from: DatabaseUrl, to: DatabaseUrl): Promise<boolean> {
  if (from.kind === 'postgres' && to.kind === 'postgres') {
    const { identifyPostgres } = await import('./postgres/copy/identity.ts');
    return (await identifyPostgres(from.url)) === (await namingOption(() => identifyPostgres(to.url)));
  }
  if (from.kind === 'postgres' || to.kind === 'postgres') return false;
  const [one, other] = [from.path, to.path].map((path) => statSync(path, { throwIfNoEntry: false }));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

/** The address of a target is not in the variable that the advice of errors names. */
async function namingOption<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    throw new StoreOpenError(error.message.replaceAll('VOTARY_DATABASE_URL', '--to'), error);
  }
}

async function withCopySource<T>(
  database: DatabaseUrl,
  isLive: boolean,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  switch (database.kind) {
    case 'sqlite':
      if (!existsSync(database.path))
        throw new CopyError(`there is no database at ${database.path}: nothing to copy`);
      return (await import('./sqlite/copy/source.ts')).withSqliteSource(database.path, isLive, work);
    case 'postgres':
      return (await import('./postgres/copy/source.ts')).withPostgresSource(database.url, isLive, work);
  }
}

async function withCopyTarget<T>(
  database: DatabaseUrl,
  mode: CopyMode,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  switch (database.kind) {
    case 'sqlite':
      return (await import('./sqlite/copy/target.ts')).withSqliteTarget(database.path, mode, work);
    case 'postgres':
      return namingOption(async () =>
        (await import('./postgres/copy/target.ts')).withPostgresTarget(database.url, mode, work),
      );
  }
}

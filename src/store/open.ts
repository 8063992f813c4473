/**
 * The only file that names a backend.
 *
 *   const store = await openStore(config.database);
 */
import type { DatabaseUrl } from '../config.ts';
import {
  BackupError,
  type BackupRequest,
  type CheckedCopy,
  type Restored,
  type RestoreRequest,
} from './backup.ts';
import type { MigrationResult } from './migrations.ts';
import { openPostgresStore } from './postgres/index.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { holdSealedPostgres } from './postgres/reseal.ts';
import type { SealedTexts } from './reseal.ts';
import { backupSqlite } from './sqlite/backup.ts';
import { openSqliteStore } from './sqlite/index.ts';
import { migrateSqlite } from './sqlite/migrate.ts';
import { holdSealedSqlite } from './sqlite/reseal.ts';
import { restoreSqlite } from './sqlite/restore.ts';
import type { Store } from './store.ts';

/** Brings the database to the current schema, then opens it. Throws `StoreOpenError`. */
export async function openStore(database: DatabaseUrl): Promise<Store> {
  switch (database.kind) {
    case 'sqlite':
      return openSqliteStore(database.path);
    case 'postgres':
      return openPostgresStore(database.url);
  }
}

/** Brings the database to the current schema. Throws `StoreOpenError`. */
export async function migrateDatabase(database: DatabaseUrl): Promise<MigrationResult> {
  switch (database.kind) {
    case 'sqlite':
      return migrateSqlite(database.path);
    case 'postgres':
      return migratePostgres(database.url);
  }
}

/** Copies the database while it is in use. Throws `BackupError` and `StoreOpenError`. */
export async function backupDatabase(database: DatabaseUrl, request: BackupRequest): Promise<CheckedCopy> {
  switch (database.kind) {
    case 'sqlite':
      return backupSqlite(database.path, request);
    case 'postgres':
      throw new BackupError(
        `PostgreSQL has a tool of its own for this: pg_dump --format=custom --file=${request.file} "$VOTARY_DATABASE_URL"`,
      );
  }
}

/** Puts a backup in the place of a database that is not in use. Throws `BackupError` and `StoreOpenError`. */
export async function restoreDatabase(database: DatabaseUrl, request: RestoreRequest): Promise<Restored> {
  switch (database.kind) {
    case 'sqlite':
      return restoreSqlite(database.path, request);
    case 'postgres':
      throw new BackupError(
        `PostgreSQL has a tool of its own for this: pg_restore --clean --if-exists --dbname="$VOTARY_DATABASE_URL" ${request.file}`,
      );
  }
}

/** Runs `work` while no other program uses the database, as far as can be seen. Throws `StoreOpenError`. */
export async function holdSealed<T>(
  database: DatabaseUrl,
  work: (sealed: SealedTexts) => Promise<T>,
): Promise<T> {
  switch (database.kind) {
    case 'sqlite':
      return holdSealedSqlite(database.path, work);
    case 'postgres':
      return holdSealedPostgres(database.url, work);
  }
}

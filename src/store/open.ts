/**
 * The only file that names a backend.
 *
 *   const store = await openStore(config.database);
 */
import type { DatabaseUrl } from '../config.ts';
import type { MigrationResult } from './migrations.ts';
import { openPostgresStore } from './postgres/index.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { openSqliteStore } from './sqlite/index.ts';
import { migrateSqlite } from './sqlite/migrate.ts';
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

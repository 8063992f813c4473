import {
  type AppliedMigration,
  type DatabaseReport,
  isCompatible,
  isCurrent,
  type Migration,
  type MigrationResult,
  newestVersion,
  readMigrations,
  refuseIncompatible,
  schemaVersionOf,
} from '../shared/migrations.ts';
import {
  type Connection,
  connect,
  explainFailure,
  inTransaction,
  openExisting,
  retryWhileBusy,
} from './connection.ts';

export const SQLITE_MIGRATIONS = readMigrations(new URL('./migrations/', import.meta.url));

/** Migrates the file on a separate connection. */
export async function migrateSqlite(path: string): Promise<MigrationResult> {
  const db = connect(path);
  try {
    // Stored in the file. If several programs switch a new file at the same time, SQLite makes some of them fail
    // instead of waiting.
    await retryWhileBusy(() => db.pragma('journal_mode = WAL'));
    return migrate(db);
  } catch (error) {
    throw explainFailure(path, error);
  } finally {
    db.close();
  }
}

/** For `votary doctor`: changes nothing. Throws `StoreOpenError`. */
export function inspectSqlite(path: string): DatabaseReport {
  const db = openExisting(path);
  try {
    const applied = readApplied(db);
    const hasFingerprint = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'master_secret'").get();
    return {
      product: `SQLite ${db.prepare<[], string>('SELECT sqlite_version()').pluck().get()}`,
      schemaVersion: schemaVersionOf(applied),
      newestVersion: newestVersion(SQLITE_MIGRATIONS),
      isCompatible: isCompatible(applied, SQLITE_MIGRATIONS),
      isWritable: isWritable(db),
      now: null,
      fingerprint: hasFingerprint
        ? (db.prepare<[], string>('SELECT fingerprint FROM master_secret').pluck().get() ?? null)
        : null,
    };
  } catch (error) {
    throw explainFailure(path, error);
  } finally {
    db.close();
  }
}

function isWritable(db: Connection): boolean {
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_READONLY'))
      return false;
    throw error;
  }
}

/**
 * Applies missing migrations. An up-to-date database is only read, so a program can start while another one writes.
 * Otherwise the write lock admits one process at a time, which checks again and applies.
 */
function migrate(db: Connection): MigrationResult {
  const found = readApplied(db);
  refuseIncompatible(found, SQLITE_MIGRATIONS);
  const version = Math.max(schemaVersionOf(found), newestVersion(SQLITE_MIGRATIONS));
  if (isCurrent(found, SQLITE_MIGRATIONS)) return { applied: [], version };
  const applied = SQLITE_MIGRATIONS.filter((migration) => inTransaction(db, () => applyOnce(db, migration)));
  return { applied: applied.map((migration) => migration.name), version };
}

export function readApplied(db: Connection): AppliedMigration[] {
  const history = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get();
  if (!history) return [];
  return db
    .prepare<[], AppliedMigration>(
      'SELECT version, oldest_compatible AS oldestCompatible FROM schema_migrations',
    )
    .all();
}

function applyOnce(db: Connection, migration: Migration): boolean {
  db.exec(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       version           INTEGER PRIMARY KEY,
       name              TEXT NOT NULL,
       applied_at        INTEGER NOT NULL,
       oldest_compatible INTEGER NOT NULL
     ) STRICT`,
  );
  if (db.prepare('SELECT 1 FROM schema_migrations WHERE version = ?').get(migration.version)) return false;
  db.exec(migration.sql);
  db.prepare(
    `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible)
     VALUES (?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER), ?)`,
  ).run(migration.version, migration.name, migration.oldestCompatible);
  return true;
}

/** Applies migrations, one process at a time. */
import {
  type AppliedMigration,
  isCurrent,
  lacksHashes,
  type Migration,
  type MigrationResult,
  newestVersion,
  readMigrations,
  schemaVersionOf,
} from '../maintenance/migrations.ts';
import {
  type Columns,
  type HistoryRow,
  PROGRAM_VERSION,
  refuseForeign,
  toAppliedMigration,
  toColumns,
} from '../maintenance/schema-history.ts';
import { StoreUnavailableError } from '../store.ts';
import {
  type Connection,
  connect,
  explainFailure,
  explainUnavailable,
  inTransaction,
  retryWhileBusy,
} from './connection.ts';

export const SQLITE_MIGRATIONS = readMigrations(new URL('./migrations/', import.meta.url));

/**
 * A commit writes every page that it changed, and a vote changes a few bytes of five: with pages of half of SQLite's default
 * size, it takes a tenth less time. Only a new file takes it.
 */
const PAGE_BYTES = 2048;

/** Migrates the file on a separate connection. */
export async function migrateSqlite(path: string): Promise<MigrationResult> {
  const db = connect(path);
  try {
    db.pragma(`page_size = ${PAGE_BYTES}`);
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

/**
 * Applies missing migrations. An up-to-date database is only read, so a program can start while another one writes.
 * Otherwise the write lock admits one process at a time, which checks again and applies.
 */
export function migrate(db: Connection): MigrationResult {
  const columns = readColumns(db);
  const found = readApplied(db);
  refuseForeign(found, SQLITE_MIGRATIONS, columns);
  const version = Math.max(schemaVersionOf(found), newestVersion(SQLITE_MIGRATIONS));
  if (isCurrent(found, SQLITE_MIGRATIONS)) {
    if (lacksHashes(found, SQLITE_MIGRATIONS)) retainHistory(db);
    return { applied: [], version };
  }
  const applied = SQLITE_MIGRATIONS.filter((migration) => inTransaction(db, () => applyOnce(db, migration)));
  return { applied: applied.map((migration) => migration.name), version };
}

export function readApplied(db: Connection): AppliedMigration[] {
  const history = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get();
  if (!history) return [];
  // All columns, because databases from before the first release do not have the same ones.
  const rows = db.prepare<[], HistoryRow>('SELECT * FROM schema_migrations ORDER BY version').all();
  return rows.map(toAppliedMigration);
}

export function readColumns(db: Connection): Columns {
  const rows = db.prepare<[], { table_name: string; column_name: string }>(
    `SELECT tables.name AS table_name, columns.name AS column_name
     FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`,
  );
  return toColumns(rows.all());
}

function applyOnce(db: Connection, migration: Migration): boolean {
  prepareHistory(db);
  if (db.prepare('SELECT 1 FROM schema_migrations WHERE version = ?').get(migration.version)) return false;
  db.exec(migration.sql);
  db.prepare(
    `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible, hash, made_by)
     VALUES (?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER), ?, ?, ?)`,
  ).run(migration.version, migration.name, migration.oldestCompatible, migration.hash, PROGRAM_VERSION);
  return true;
}

/** The table of applied migrations, with hashes: those of a database from before them were compared with its columns. */
function prepareHistory(db: Connection): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       version           INTEGER PRIMARY KEY,
       name              TEXT NOT NULL,
       applied_at        INTEGER NOT NULL,
       oldest_compatible INTEGER NOT NULL,
       hash              TEXT,
       made_by           TEXT
     ) STRICT`,
  );
  const present = readColumns(db).get('schema_migrations');
  for (const column of ['hash', 'made_by'])
    if (!present?.has(column)) db.exec(`ALTER TABLE schema_migrations ADD COLUMN ${column} TEXT`);
  const setHash = db.prepare('UPDATE schema_migrations SET hash = ? WHERE version = ? AND hash IS NULL');
  for (const { version, hash } of SQLITE_MIGRATIONS) setHash.run(hash, version);
}

/** A read-only database gets its hashes later. */
function retainHistory(db: Connection): void {
  try {
    inTransaction(db, () => prepareHistory(db));
  } catch (error) {
    if (!(explainUnavailable(error) instanceof StoreUnavailableError)) throw error;
  }
}

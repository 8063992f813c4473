/** Applies migrations, one process at a time. */
import type pg from 'pg';
import { SECOND_MS } from '../../domain/clock.ts';
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
import { NO_TIMEOUT_MS, openClient } from './connection/client.ts';
import { type Queryable, runTransaction } from './connection/connection.ts';
import { explainFailure, explainUnavailable } from './connection/failures.ts';

export const POSTGRES_MIGRATIONS = readMigrations(new URL('./migrations/', import.meta.url));

/** An arbitrary number that every Votary process uses. */
const MIGRATION_LOCK = 1_987_015_781;

export type MigrateOptions = {
  /** How long to wait for a table that another session has locked. */
  lockTimeoutMs?: number;
};

/** Migrates the database on a separate connection. */
export async function migratePostgres(
  url: string,
  { lockTimeoutMs = 10 * SECOND_MS }: MigrateOptions = {},
): Promise<MigrationResult> {
  return withClient(url, (client) =>
    migrate(client, (work) =>
      runTransaction(client, (tx) => afterLock(tx, lockTimeoutMs, () => work(tx)), NO_TIMEOUT_MS),
    ),
  );
}

/** Applies missing migrations; an up-to-date database is only read. */
async function migrate(
  database: Queryable,
  transact: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>,
): Promise<MigrationResult> {
  const columns = await readColumns(database);
  const found = await readApplied(database);
  refuseForeign(found, POSTGRES_MIGRATIONS, columns);
  const version = Math.max(schemaVersionOf(found), newestVersion(POSTGRES_MIGRATIONS));
  const applied: string[] = [];
  if (isCurrent(found, POSTGRES_MIGRATIONS)) {
    // A role that must not change tables leaves this to their owner.
    if (lacksHashes(found, POSTGRES_MIGRATIONS)) await transact(prepareHistory).catch(ignoreRefusal);
    return { applied, version };
  }
  for (const migration of POSTGRES_MIGRATIONS) {
    if (await transact((tx) => applyOnce(tx, migration))) applied.push(migration.name);
  }
  return { applied, version };
}

const INSUFFICIENT_PRIVILEGE = '42501';

function ignoreRefusal(error: unknown): void {
  const isRefused = error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE;
  if (!isRefused && !(explainUnavailable(error) instanceof StoreUnavailableError)) throw error;
}

export async function readApplied(database: Queryable): Promise<AppliedMigration[]> {
  const history = await database.query<{ found: boolean }>({
    text: "SELECT to_regclass('schema_migrations') IS NOT NULL AS found",
  });
  if (!history.rows[0]?.found) return [];
  // All columns, because databases from before the first release do not have the same ones.
  const { rows } = await database.query<HistoryRow>({
    text: 'SELECT * FROM schema_migrations ORDER BY version',
  });
  return rows.map(toAppliedMigration);
}

/** Reads the columns of the tables that queries without a schema name use. */
export async function readColumns(database: Queryable): Promise<Columns> {
  const { rows } = await database.query<{ table_name: string; column_name: string }>({
    text: `SELECT relname AS table_name, attname AS column_name
           FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
           WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND pg_table_is_visible(pg_class.oid)
             AND relnamespace <> 'pg_catalog'::regnamespace`,
  });
  return toColumns(rows);
}

/** The lock admits one process at a time and ends with the transaction. */
async function afterLock<T>(tx: Queryable, lockTimeoutMs: number, work: () => Promise<T>): Promise<T> {
  await tx.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] });
  // A table that another session has locked must not block all requests that queue up behind the migration.
  await tx.query({ text: `SET LOCAL lock_timeout = ${lockTimeoutMs}` });
  return work();
}

async function applyOnce(tx: Queryable, migration: Migration): Promise<boolean> {
  await prepareHistory(tx);
  const done = await tx.query({
    text: 'SELECT 1 FROM schema_migrations WHERE version = $1',
    values: [migration.version],
  });
  if (done.rows.length > 0) return false;
  await tx.query({ text: migration.sql });
  const { version, name, oldestCompatible, hash } = migration;
  await tx.query({
    text: `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible, hash, made_by)
           VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $3, $4, $5)`,
    values: [version, name, oldestCompatible, hash, PROGRAM_VERSION],
  });
  return true;
}

/** The table of applied migrations, with hashes: those of a database from before them were compared with its columns. */
async function prepareHistory(tx: Queryable): Promise<void> {
  await tx.query({
    text: `CREATE TABLE IF NOT EXISTS schema_migrations (
             version           INTEGER PRIMARY KEY,
             name              TEXT NOT NULL,
             applied_at        BIGINT NOT NULL,
             oldest_compatible INTEGER NOT NULL,
             hash              TEXT,
             made_by           TEXT
           )`,
  });
  await tx.query({
    text: `ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS hash TEXT, ADD COLUMN IF NOT EXISTS made_by TEXT`,
  });
  await tx.query({
    text: `UPDATE schema_migrations SET hash = own.hash
           FROM unnest($1::integer[], $2::text[]) AS own (version, hash)
           WHERE schema_migrations.version = own.version AND schema_migrations.hash IS NULL`,
    values: [POSTGRES_MIGRATIONS.map(({ version }) => version), POSTGRES_MIGRATIONS.map(({ hash }) => hash)],
  });
}

/** Throws `StoreOpenError`. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  try {
    const client = await openClient(url);
    return await work(client).finally(() => client.end());
  } catch (error) {
    throw explainFailure(url, error);
  }
}

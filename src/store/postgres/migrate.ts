import type pg from 'pg';
import { SECOND_MS } from '../../domain/clock.ts';
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
import { openClient } from './connection/client.ts';
import { type Queryable, runTransaction } from './connection/connection.ts';
import { explainFailure } from './connection/failures.ts';

const MIGRATIONS = readMigrations(new URL('./migrations/', import.meta.url));

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
    migrate(client, (migration) => runTransaction(client, (tx) => applyOnce(tx, migration, lockTimeoutMs))),
  );
}

/** For `votary doctor`: changes nothing. Throws `StoreOpenError`. */
export async function inspectPostgres(url: string): Promise<DatabaseReport> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Inspected>(INSPECT);
    const [found] = rows;
    const kept = found?.has_fingerprint ? await client.query<{ fingerprint: string }>(KEPT) : undefined;
    const applied = await readApplied(client);
    return {
      product: `PostgreSQL ${found?.version}`,
      schemaVersion: schemaVersionOf(applied),
      newestVersion: newestVersion(MIGRATIONS),
      isCompatible: isCompatible(applied, MIGRATIONS),
      isWritable: found?.is_writable ?? false,
      now: found?.now ?? null,
      fingerprint: kept?.rows[0]?.fingerprint ?? null,
    };
  });
}

/** Throws `StoreOpenError`. */
async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  try {
    const client = await openClient(url);
    return await work(client).finally(() => client.end());
  } catch (error) {
    throw explainFailure(url, error);
  }
}

type Inspected = { version: string; is_writable: boolean; now: number; has_fingerprint: boolean };

const KEPT = 'SELECT fingerprint FROM master_secret WHERE id = 1';
const INSPECT = `
  SELECT current_setting('server_version') AS version,
    current_setting('transaction_read_only') = 'off' AS is_writable,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
    to_regclass('master_secret') IS NOT NULL AS has_fingerprint`;

/** Applies missing migrations; an up-to-date database is only read. */
async function migrate(
  database: Queryable,
  apply: (migration: Migration) => Promise<boolean>,
): Promise<MigrationResult> {
  const found = await readApplied(database);
  refuseIncompatible(found, MIGRATIONS);
  const version = Math.max(schemaVersionOf(found), newestVersion(MIGRATIONS));
  const applied: string[] = [];
  if (isCurrent(found, MIGRATIONS)) return { applied, version };
  for (const migration of MIGRATIONS) {
    if (await apply(migration)) applied.push(migration.name);
  }
  return { applied, version };
}

async function readApplied(database: Queryable): Promise<AppliedMigration[]> {
  const history = await database.query<{ found: boolean }>({
    text: "SELECT to_regclass('schema_migrations') IS NOT NULL AS found",
  });
  if (!history.rows[0]?.found) return [];
  const { rows } = await database.query<AppliedMigration>({
    text: 'SELECT version, oldest_compatible AS "oldestCompatible" FROM schema_migrations',
  });
  return rows;
}

/** The lock admits one process at a time and ends with the transaction. */
async function applyOnce(tx: Queryable, migration: Migration, lockTimeoutMs: number): Promise<boolean> {
  await tx.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] });
  await tx.query({
    text: `CREATE TABLE IF NOT EXISTS schema_migrations (
             version           INTEGER PRIMARY KEY,
             name              TEXT NOT NULL,
             applied_at        BIGINT NOT NULL,
             oldest_compatible INTEGER NOT NULL
           )`,
  });
  const done = await tx.query({
    text: 'SELECT 1 FROM schema_migrations WHERE version = $1',
    values: [migration.version],
  });
  if (done.rows.length > 0) return false;
  // A table that another session has locked must not block all requests that queue up behind the migration.
  await tx.query({ text: `SET LOCAL lock_timeout = ${lockTimeoutMs}` });
  await tx.query({ text: migration.sql });
  await tx.query({
    text: `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible)
           VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $3)`,
    values: [migration.version, migration.name, migration.oldestCompatible],
  });
  return true;
}

/** Work on a whole database: migrations, and the change of the master secret. */
import type pg from 'pg';
import { SECOND_MS } from '../../domain/clock.ts';
import {
  type AppliedMigration,
  type DatabaseReport,
  isCompatible,
  isCurrent,
  lacksHashes,
  type Migration,
  type MigrationResult,
  newestVersion,
  type ResealCounts,
  type Resealer,
  readMigrations,
  type SealedEndpoint,
  type SealedKey,
  type SealedLinks,
  type SealedTexts,
  type SealedTextsOptions,
  schemaVersionOf,
  writeProblemOf,
} from '../maintenance.ts';
import {
  type Columns,
  findForeign,
  type HistoryRow,
  PROGRAM_VERSION,
  refuseForeign,
  toAppliedMigration,
  toColumns,
} from '../schema-history.ts';
import { type FingerprintStore, StoreOpenError, StoreUnavailableError } from '../store.ts';
import { NO_TIMEOUT_MS, openClient } from './connection/client.ts';
import { probeWrite, type Queryable, runTransaction } from './connection/connection.ts';
import { explainFailure, explainUnavailable } from './connection/failures.ts';

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
    migrate(client, (work) =>
      runTransaction(client, (tx) => afterLock(tx, lockTimeoutMs, () => work(tx)), NO_TIMEOUT_MS),
    ),
  );
}

/** For `votary doctor`. Throws `StoreOpenError`. */
export async function inspectPostgres(url: string): Promise<DatabaseReport> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Inspected>(INSPECT);
    const [found] = rows;
    const fingerprint = found?.has_fingerprint ? await createFingerprintStore(client).find() : undefined;
    const applied = await readApplied(client);
    const columns = await readColumns(client);
    return {
      product: `PostgreSQL ${found?.version}`,
      schemaVersion: schemaVersionOf(applied),
      newestVersion: newestVersion(MIGRATIONS),
      isCompatible: isCompatible(applied, MIGRATIONS),
      foreignReason: findForeign(applied, MIGRATIONS, () => columns) ?? null,
      writeProblem: found?.has_probes
        ? await findWriteProblem(client)
        : found?.is_read_only
          ? 'read-only'
          : null,
      now: found?.now ?? null,
      fingerprint: fingerprint ?? null,
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

/** Runs last: a transaction that fails ends with the connection. */
async function findWriteProblem(client: pg.Client): Promise<DatabaseReport['writeProblem']> {
  try {
    await probeWrite(client);
    return null;
  } catch (error) {
    return writeProblemOf(explainUnavailable(error));
  }
}

type Inspected = {
  version: string;
  is_read_only: boolean;
  now: number;
  has_fingerprint: boolean;
  has_probes: boolean;
};

const INSPECT = `
  SELECT current_setting('server_version') AS version,
    current_setting('transaction_read_only') = 'on' AS is_read_only,
    to_regclass('write_probes') IS NOT NULL AS has_probes,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
    to_regclass('master_secret') IS NOT NULL AS has_fingerprint`;

/** Applies missing migrations; an up-to-date database is only read. */
async function migrate(
  database: Queryable,
  transact: <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>,
): Promise<MigrationResult> {
  const found = await readApplied(database);
  const columns = await readColumns(database);
  refuseForeign(found, MIGRATIONS, () => columns);
  const version = Math.max(schemaVersionOf(found), newestVersion(MIGRATIONS));
  const applied: string[] = [];
  if (isCurrent(found, MIGRATIONS)) {
    // A role that must not change tables leaves this to their owner.
    if (lacksHashes(found, MIGRATIONS)) await transact(prepareHistory).catch(ignoreRefusal);
    return { applied, version };
  }
  for (const migration of MIGRATIONS) {
    if (await transact((tx) => applyOnce(tx, migration))) applied.push(migration.name);
  }
  return { applied, version };
}

const INSUFFICIENT_PRIVILEGE = '42501';

function ignoreRefusal(error: unknown): void {
  const isRefused = error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE;
  if (!isRefused && !(explainUnavailable(error) instanceof StoreUnavailableError)) throw error;
}

async function readApplied(database: Queryable): Promise<AppliedMigration[]> {
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

/** Of the tables that queries without a schema name use. */
async function readColumns(database: Queryable): Promise<Columns> {
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
    values: [MIGRATIONS.map(({ version }) => version), MIGRATIONS.map(({ hash }) => hash)],
  });
}

const SQL = {
  // Votes are not blocked: they only take a shared lock on the guild's row.
  lock: 'LOCK TABLE guilds, webhook_endpoints, guild_rules IN SHARE ROW EXCLUSIVE MODE',
  // Every connection of Votary has this application name.
  others: `SELECT count(*) AS others FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'votary' AND pid <> pg_backend_pid()`,
  keys: 'SELECT guild_id, key_sealed FROM guilds WHERE key_sealed IS NOT NULL',
  setKey: 'UPDATE guilds SET key_sealed = $2 WHERE guild_id = $1',
  endpoints: 'SELECT guild_id, endpoint_id, secret, previous_secret FROM webhook_endpoints',
  fingerprint: 'SELECT fingerprint FROM master_secret WHERE id = 1',
  // Primary key. The row is returned whether it is new or not.
  keepFingerprint: `INSERT INTO master_secret (id, fingerprint) VALUES (1, $1)
                    ON CONFLICT (id) DO UPDATE SET fingerprint = master_secret.fingerprint RETURNING fingerprint`,
  setFingerprint: `INSERT INTO master_secret (id, fingerprint) VALUES (1, $1)
                   ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint`,
  setSecrets: `UPDATE webhook_endpoints SET secret = $3, previous_secret = $4
               WHERE guild_id = $1 AND endpoint_id = $2`,
  links: 'SELECT guild_id, link_secret, previous_link_secret FROM guild_rules WHERE link_secret IS NOT NULL',
  setLinks: 'UPDATE guild_rules SET link_secret = $2, previous_link_secret = $3 WHERE guild_id = $1',
} as const;

export async function withSealedTextsPostgres<T>(
  url: string,
  work: (sealed: SealedTexts) => Promise<T>,
  { isShared = false }: SealedTextsOptions,
): Promise<T> {
  await migratePostgres(url);
  const client = await openClient(url).catch((error: unknown) => {
    throw explainFailure(url, error);
  });
  try {
    if (!isShared) await refuseOthers(client);
    return await work({
      reseal: (resealer) => runTransaction(client, (tx) => resealAll(tx, resealer), NO_TIMEOUT_MS),
    });
  } finally {
    await client.end();
  }
}

/**
 * A running process would keep encrypting with the old secret. A process that has been idle for a while has no
 * connection and is not detected.
 */
async function refuseOthers(database: Queryable): Promise<void> {
  const { rows } = await database.query<{ others: number }>({ text: SQL.others });
  const others = rows[0]?.others ?? 0;
  if (others === 0) return;
  throw new StoreOpenError(
    `The PostgreSQL database is in use by ${others} other connections of Votary: stop every server that uses it, then try again.`,
  );
}

async function resealAll(tx: Queryable, resealer: Resealer): Promise<ResealCounts> {
  await tx.query({ text: SQL.lock });
  resealer.checkFingerprint(await createFingerprintStore(tx).find());
  const keys = await tx.query<SealedKey>({ text: SQL.keys });
  for (const { guild_id, key_sealed } of keys.rows) {
    await tx.query({ text: SQL.setKey, values: [guild_id, resealer.apiKey(guild_id, key_sealed)] });
  }
  const endpoints = await tx.query<SealedEndpoint>({ text: SQL.endpoints });
  for (const { guild_id, endpoint_id, secret, previous_secret } of endpoints.rows) {
    const move = (sealed: string) => resealer.webhookSecret(guild_id, endpoint_id, sealed);
    const values = [
      guild_id,
      endpoint_id,
      move(secret),
      previous_secret === null ? null : move(previous_secret),
    ];
    await tx.query({ text: SQL.setSecrets, values });
  }
  const links = await tx.query<SealedLinks>({ text: SQL.links });
  for (const { guild_id, link_secret, previous_link_secret } of links.rows) {
    const move = (sealed: string) => resealer.linkSecret(guild_id, sealed);
    const previous = previous_link_secret === null ? null : move(previous_link_secret);
    await tx.query({ text: SQL.setLinks, values: [guild_id, move(link_secret), previous] });
  }
  await tx.query({ text: SQL.setFingerprint, values: [resealer.fingerprint] });
  return resealer.counts();
}

type FingerprintRow = { fingerprint: string };

export function createFingerprintStore(database: Queryable): FingerprintStore {
  return {
    async find() {
      const { rows } = await database.query<FingerprintRow>({ text: SQL.fingerprint });
      return rows[0]?.fingerprint;
    },
    async keep(fingerprint) {
      const values = [fingerprint];
      const { rows } = await database.query<FingerprintRow>({ text: SQL.keepFingerprint, values });
      return rows[0]?.fingerprint ?? fingerprint;
    },
    async replace(fingerprint) {
      await database.query({ text: SQL.setFingerprint, values: [fingerprint] });
    },
  };
}

/** Work on a whole database: its state, and the change of the master secret. */
import type pg from 'pg';
import { createFingerprintStore } from '../fingerprint.ts';
import {
  type DatabaseReport,
  isCompatible,
  newestVersion,
  type ResealCounts,
  type Resealer,
  type SealedEndpoint,
  type SealedKey,
  type SealedLinks,
  type SealedTexts,
  type SealedTextsOptions,
  schemaVersionOf,
  writeProblemOf,
} from '../maintenance.ts';
import { findForeign } from '../schema-history.ts';
import { StoreOpenError } from '../store.ts';
import { NO_TIMEOUT_MS, openClient } from './connection/client.ts';
import { probeWrite, type Queryable, runTransaction } from './connection/connection.ts';
import { explainFailure, explainUnavailable } from './connection/failures.ts';
import { createStatements } from './database.ts';
import { migratePostgres, POSTGRES_MIGRATIONS, readApplied, readColumns, withClient } from './migrate.ts';

/** For `votary doctor`. Throws `StoreOpenError`. */
export async function inspectPostgres(url: string): Promise<DatabaseReport> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Inspected>(INSPECT);
    const [found] = rows;
    const fingerprint = found?.has_fingerprint
      ? await createFingerprintStore(createStatements(client)).find()
      : undefined;
    const columns = await readColumns(client);
    const applied = await readApplied(client);
    return {
      product: `PostgreSQL ${found?.version}`,
      schemaVersion: schemaVersionOf(applied),
      newestVersion: newestVersion(POSTGRES_MIGRATIONS),
      isCompatible: isCompatible(applied, POSTGRES_MIGRATIONS),
      foreignReason: findForeign(applied, POSTGRES_MIGRATIONS, columns) ?? null,
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

const SQL = {
  // Votes are not blocked: they only take a shared lock on the guild's row.
  lock: 'LOCK TABLE guilds, webhook_endpoints, guild_rules IN SHARE ROW EXCLUSIVE MODE',
  // Every connection of Votary has this application name.
  others: `SELECT count(*) AS others FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'votary' AND pid <> pg_backend_pid()`,
  keys: 'SELECT guild_id, key_sealed FROM guilds WHERE key_sealed IS NOT NULL',
  setKey: 'UPDATE guilds SET key_sealed = $2 WHERE guild_id = $1',
  endpoints: 'SELECT guild_id, endpoint_id, secret, previous_secret FROM webhook_endpoints',
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
  const fingerprint = createFingerprintStore(createStatements(tx));
  resealer.checkFingerprint(await fingerprint.find());
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
  await fingerprint.replace(resealer.fingerprint);
  return resealer.counts();
}

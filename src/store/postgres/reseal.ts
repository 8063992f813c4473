import { createFingerprintStore } from '../fingerprint.ts';
import type {
  ResealCounts,
  Resealer,
  SealedEndpoint,
  SealedKey,
  SealedLinks,
  SealedTexts,
  SealedTextsOptions,
} from '../maintenance/reseal.ts';
import { StoreOpenError } from '../store.ts';
import { NO_TIMEOUT_MS, openClient } from './connection/client.ts';
import { type Queryable, runTransaction } from './connection/connection.ts';
import { explainFailure } from './connection/failures.ts';
import { createStatements } from './database.ts';
import { migratePostgres } from './migrate.ts';

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

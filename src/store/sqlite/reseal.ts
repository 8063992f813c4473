import type {
  ResealCounts,
  Resealer,
  SealedEndpoint,
  SealedKey,
  SealedLinks,
  SealedTexts,
  SealedTextsOptions,
} from '../maintenance/reseal.ts';
import { type Connection, connect, inTransaction, retryWhileBusy } from './connection.ts';
import { withExclusiveFile } from './exclusive-file.ts';
import { migrateSqlite } from './migrate.ts';

export async function withSealedTextsSqlite<T>(
  path: string,
  work: (sealed: SealedTexts) => Promise<T>,
  { isShared = false }: SealedTextsOptions,
): Promise<T> {
  await migrateSqlite(path);
  const use = (db: Connection) =>
    work({
      reseal: (resealer) => retryWhileBusy(() => inTransaction(db, () => resealAll(db, resealer))),
    });
  if (!isShared) return withExclusiveFile(path, use);
  const db = connect(path);
  return use(db).finally(() => db.close());
}

function resealAll(db: Connection, resealer: Resealer): ResealCounts {
  resealer.checkFingerprint(db.prepare<[], string>(SELECT_FINGERPRINT).pluck().get());
  const keys = db.prepare<[], SealedKey>(
    'SELECT guild_id, key_sealed FROM guilds WHERE key_sealed IS NOT NULL',
  );
  const setKey = db.prepare('UPDATE guilds SET key_sealed = ? WHERE guild_id = ?');
  for (const { guild_id, key_sealed } of keys.all())
    setKey.run(resealer.apiKey(guild_id, key_sealed), guild_id);

  const endpoints = db.prepare<[], SealedEndpoint>(
    'SELECT guild_id, endpoint_id, secret, previous_secret FROM webhook_endpoints',
  );
  const setSecrets = db.prepare(
    'UPDATE webhook_endpoints SET secret = ?, previous_secret = ? WHERE guild_id = ? AND endpoint_id = ?',
  );
  for (const { guild_id, endpoint_id, secret, previous_secret } of endpoints.all()) {
    const move = (sealed: string) => resealer.webhookSecret(guild_id, endpoint_id, sealed);
    setSecrets.run(
      move(secret),
      previous_secret === null ? null : move(previous_secret),
      guild_id,
      endpoint_id,
    );
  }
  const links = db.prepare<[], SealedLinks>(
    'SELECT guild_id, link_secret, previous_link_secret FROM guild_rules WHERE link_secret IS NOT NULL',
  );
  const setLinks = db.prepare(
    'UPDATE guild_rules SET link_secret = ?, previous_link_secret = ? WHERE guild_id = ?',
  );
  for (const { guild_id, link_secret, previous_link_secret } of links.all()) {
    const move = (sealed: string) => resealer.linkSecret(guild_id, sealed);
    setLinks.run(
      move(link_secret),
      previous_link_secret === null ? null : move(previous_link_secret),
      guild_id,
    );
  }
  db.prepare(SET_FINGERPRINT).run(resealer.fingerprint);
  return resealer.counts();
}

// The primary key, in both statements.
const SELECT_FINGERPRINT = 'SELECT fingerprint FROM master_secret WHERE id = 1';
const SET_FINGERPRINT = `INSERT INTO master_secret (id, fingerprint) VALUES (1, ?)
                         ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint`;

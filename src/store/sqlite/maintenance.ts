/** Work on a whole database file: its state, exclusive access, and the change of the master secret. */
import Database from 'better-sqlite3';
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
import {
  type Connection,
  connect,
  explainFailure,
  explainUnavailable,
  inTransaction,
  isBusy,
  openExisting,
  probeWrite,
  restrictDatabaseToOwner,
  retryWhileBusy,
} from './connection.ts';
import { migrateSqlite, readApplied, readColumns, SQLITE_MIGRATIONS } from './migrate.ts';

/** For `votary doctor`. Throws `StoreOpenError`. */
export function inspectSqlite(path: string): DatabaseReport {
  const db = openExisting(path);
  try {
    const columns = readColumns(db);
    const applied = readApplied(db);
    const hasFingerprint = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'master_secret'").get();
    return {
      product: `SQLite ${db.prepare<[], string>('SELECT sqlite_version()').pluck().get()}`,
      schemaVersion: schemaVersionOf(applied),
      newestVersion: newestVersion(SQLITE_MIGRATIONS),
      isCompatible: isCompatible(applied, SQLITE_MIGRATIONS),
      foreignReason: findForeign(applied, SQLITE_MIGRATIONS, columns) ?? null,
      writeProblem: findWriteProblem(db),
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

function findWriteProblem(db: Connection): DatabaseReport['writeProblem'] {
  const hasProbes = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'write_probes'").get();
  try {
    if (hasProbes) probeWrite(db);
    else db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return null;
  } catch (error) {
    return writeProblemOf(explainUnavailable(error));
  }
}

/** Long enough for a command that is about to end; a running server is reported immediately. */
const WAIT_MS = 1000;

/**
 * Runs `work` while no other program has the file open, and none can open it. In write-ahead mode every program holds
 * a shared lock while it has the file open, so an exclusive lock means that there is none.
 */
export async function withExclusiveFile<T>(
  path: string,
  work: (db: Connection) => T | Promise<T>,
): Promise<T> {
  const db = lockFile(path);
  try {
    return await work(db);
  } finally {
    db.close();
  }
}

function lockFile(path: string): Connection {
  let db: Connection | undefined;
  try {
    restrictDatabaseToOwner(path);
    db = new Database(path, { timeout: WAIT_MS, fileMustExist: true });
    db.pragma('synchronous = FULL');
    db.pragma('locking_mode = EXCLUSIVE');
    // The first write transaction takes the lock, which is kept after it ends.
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    return db;
  } catch (error) {
    db?.close();
    throw isBusy(error) ? inUse(path) : explainFailure(path, error);
  }
}

function inUse(path: string): StoreOpenError {
  return new StoreOpenError(
    `The SQLite database ${path} is in use: stop the server and every other program that has it open, then try again.`,
  );
}

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

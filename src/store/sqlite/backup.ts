import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Instant } from '../../domain/clock.ts';
import {
  BackupError,
  type BackupRequest,
  type CheckedCopy,
  type Restored,
  type RestoreRequest,
} from '../maintenance/backup.ts';
import { schemaVersionOf } from '../maintenance/migrations.ts';
import { refuseForeign } from '../maintenance/schema-history.ts';
import { giveToFolderOwner, makePrivateFolder, OWNER_ONLY } from '../private-file.ts';
import { type Connection, connect, isDamaged } from './connection.ts';
import { beginEpoch } from './epochs.ts';
import { withExclusiveFile } from './exclusive-file.ts';
import { migrate, readApplied, readColumns, SQLITE_MIGRATIONS } from './migrate.ts';

/** Copies a database that may be in use. The file appears complete and verified, or not at all. */
export async function backupSqlite(
  path: string,
  { file, beforePublish }: BackupRequest,
): Promise<CheckedCopy> {
  if (!existsSync(path)) throw new BackupError(`there is no database at ${path}: nothing to back up`);
  if (existsSync(file)) throw alreadyThere(file);
  const db = connect(path);
  let draft: string | undefined;
  try {
    draft = await writeCopy(db, file);
    const checked = await withCheckedCopy(draft, (_db, found) => found);
    await beforePublish();
    await link(draft, file).catch((error: unknown) => {
      throw existsSync(file) ? alreadyThere(file) : error;
    });
    return checked;
  } finally {
    if (draft) await rm(draft, { force: true });
    db.close();
  }
}

/**
 * Replaces the database with a verified copy of the file, atomically. The previous database is kept. Fails while any
 * program has the database open, because it would keep writing to the previous file.
 */
export async function restoreSqlite(path: string, request: RestoreRequest): Promise<Restored> {
  makePrivateFolder(dirname(path));
  // Copied rather than moved: the backup remains, and a file in write-ahead mode includes the contents of its log.
  const { draft, checked } = await withCheckedCopy(request.file, async (db, found) => ({
    draft: await writeCopy(db, path),
    checked: found,
  }));
  try {
    const lastAction = beginEpochIn(draft, request.now);
    giveToFolderOwner(draft);
    if (existsSync(path)) return { ...checked, ...(await replace(path, draft, { ...request, lastAction })) };
    await place(path, draft, request);
    return { ...checked, kept: null, erasedSince: null };
  } finally {
    await rm(draft, { force: true });
  }
}

type ActionKey = { at: Instant; action_id: number };

/**
 * The copy gets the schema of this program first: that of an old backup has no epochs. Returns the last entry of its
 * operators' log.
 */
function beginEpochIn(draft: string, now: Instant): ActionKey | undefined {
  const db = connect(draft);
  try {
    migrate(db);
    beginEpoch(db, now);
    return db
      .prepare<[], ActionKey>(
        'SELECT at, action_id FROM operator_actions ORDER BY at DESC, action_id DESC LIMIT 1',
      )
      .get();
  } finally {
    db.close();
  }
}

type Replacement = RestoreRequest & { lastAction: ActionKey | undefined };

async function replace(
  path: string,
  draft: string,
  request: Replacement,
): Promise<Pick<Restored, 'kept' | 'erasedSince'>> {
  let erasedSince: number | null = null;
  try {
    await withExclusiveFile(path, async (db) => {
      erasedSince = countErasures(db, request.lastAction);
      // Merges the log into the file and removes it, so it is not mistaken for the log of the restored one.
      db.pragma('journal_mode = DELETE');
      await link(path, request.previousPath);
      await place(path, draft, request);
    });
  } catch (error) {
    if (!isDamaged(error)) throw error;
    // A damaged database cannot be locked or be in use: it is moved away as it is, with its log.
    for (const part of ['-wal', '-shm', '']) {
      if (existsSync(path + part)) await rename(path + part, request.previousPath + part);
    }
    await place(path, draft, request);
  }
  return { kept: request.previousPath, erasedSince };
}

/** After an entry of the operators' log, or ever. Index operator_actions_by_time. */
function countErasures(db: Connection, { at, action_id: id }: ActionKey = FIRST_ACTION): number | null {
  // The database that is replaced can be any file, also of a program that had no such log.
  const columns = db.prepare(
    `SELECT 1 FROM pragma_table_info('operator_actions') WHERE name IN ('at', 'action_id', 'action')`,
  );
  if (columns.all().length < 3) return null;
  const count = db.prepare<[Instant, number], { users: number }>(
    `SELECT count(*) AS users FROM operator_actions WHERE (at, action_id) > (?, ?) AND action = 'user_erased'`,
  );
  return count.get(at, id)?.users ?? 0;
}

const FIRST_ACTION: ActionKey = { at: Number.MIN_SAFE_INTEGER, action_id: 0 };

async function place(path: string, draft: string, { before, after }: RestoreRequest): Promise<void> {
  await before();
  await rename(draft, path);
  await after();
}

/**
 * Writes a snapshot of the database to a new file next to `target`, readable by its owner only and synced to disk
 * when this resolves. Writers continue in the meantime, and never restart it.
 */
async function writeCopy(db: Connection, target: string): Promise<string> {
  const draft = `${target}.${randomBytes(6).toString('hex')}.partial`;
  try {
    // SQLite fills an existing empty file and keeps its permissions.
    await (await open(draft, 'wx', OWNER_ONLY)).close();
    db.prepare('VACUUM INTO ?').run(draft);
    const file = await open(draft, 'r+');
    await file.sync().finally(() => file.close());
    return draft;
  } catch (error) {
    await rm(draft, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new BackupError(`cannot write ${draft}: ${reason}`, error);
  }
}

/** Opens a file that no one writes to, checks that it is a complete Votary database, and passes it on. */
async function withCheckedCopy<T>(
  file: string,
  work: (db: Connection, checked: CheckedCopy) => T | Promise<T>,
): Promise<T> {
  let db: Connection | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    return await work(db, check(db, file));
  } catch (error) {
    throw explain(file, error);
  } finally {
    db?.close();
  }
}

function check(db: Connection, file: string): CheckedCopy {
  const damage = db.pragma('integrity_check(1)', { simple: true });
  if (damage !== 'ok') throw new BackupError(`${file} is damaged (${String(damage)}): use another backup`);
  const applied = readApplied(db);
  if (applied.length === 0) throw new BackupError(`${file} is not a Votary database`);
  refuseForeign(applied, SQLITE_MIGRATIONS, readColumns(db));
  return { schemaVersion: schemaVersionOf(applied), guilds: count(db, 'guilds'), votes: count(db, 'votes') };
}

function count(db: Connection, table: 'guilds' | 'votes'): number {
  return db.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0;
}

function explain(file: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_NOTADB') return new BackupError(`${file} is not a Votary backup`, error);
  if (error.code.startsWith('SQLITE_CANTOPEN')) {
    return new BackupError(`cannot read ${file}: check that it exists and is readable`, error);
  }
  return new BackupError(`${file} cannot be used: ${error.message}`, error);
}

function alreadyThere(file: string): BackupError {
  return new BackupError(`${file} already exists, and backups are never overwritten: choose another file`);
}

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
    beginEpochIn(draft, request.now);
    giveToFolderOwner(draft);
    const kept = existsSync(path) ? await replace(path, draft, request) : await place(path, draft, request);
    return { ...checked, kept };
  } finally {
    await rm(draft, { force: true });
  }
}

/** The copy gets the schema of this program first: that of an old backup has no epochs. */
function beginEpochIn(draft: string, now: Instant): void {
  const db = connect(draft);
  try {
    migrate(db);
    beginEpoch(db, now);
  } finally {
    db.close();
  }
}

async function replace(path: string, draft: string, request: RestoreRequest): Promise<string> {
  try {
    await withExclusiveFile(path, async (db) => {
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
  return request.previousPath;
}

async function place(path: string, draft: string, { before, after }: RestoreRequest): Promise<null> {
  await before();
  await rename(draft, path);
  await after();
  return null;
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

import { existsSync } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Restored, RestoreRequest } from '../../backup.ts';
import { makePrivateFolder } from '../../shared/private-file.ts';
import { StoreOpenError } from '../../store.ts';
import { type Connection, closeDatabaseToOthers, explainFailure, isDamaged } from '../connection.ts';
import { withCheckedCopy, writeCopy } from './backup.ts';

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
    const kept = existsSync(path) ? await replace(path, draft, request) : await place(path, draft, request);
    return { ...checked, kept };
  } finally {
    await rm(draft, { force: true });
  }
}

async function replace(path: string, draft: string, request: RestoreRequest): Promise<string> {
  try {
    await withExclusiveFile(path, async (db) => {
      // Merges the log into the file and removes it, so it is not mistaken for the log of the restored one.
      db.pragma('journal_mode = DELETE');
      await link(path, request.aside);
      await place(path, draft, request);
    });
  } catch (error) {
    if (!isDamaged(error)) throw error;
    // A damaged database cannot be locked or be in use: it is moved away as it is, with its log.
    for (const part of ['-wal', '-shm', '']) {
      if (existsSync(path + part)) await rename(path + part, request.aside + part);
    }
    await place(path, draft, request);
  }
  return request.aside;
}

async function place(path: string, draft: string, { before, after }: RestoreRequest): Promise<null> {
  await before();
  await rename(draft, path);
  await after();
  return null;
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
    closeDatabaseToOthers(path);
    db = new Database(path, { timeout: WAIT_MS, fileMustExist: true });
    db.pragma('synchronous = FULL');
    db.pragma('locking_mode = EXCLUSIVE');
    // The first writing transaction takes the lock, and it is kept when that ends.
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    return db;
  } catch (error) {
    db?.close();
    throw isBusy(error) ? inUse(path) : explainFailure(path, error);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function inUse(path: string): StoreOpenError {
  return new StoreOpenError(
    `The SQLite database ${path} is in use: stop the server and every other program that has it open, then try again.`,
  );
}

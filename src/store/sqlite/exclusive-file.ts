import Database from 'better-sqlite3';
import { StoreOpenError } from '../store.ts';
import { type Connection, explainFailure, isBusy, restrictDatabaseToOwner } from './connection.ts';

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

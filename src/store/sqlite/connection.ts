import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { StoreOpenError } from '../store.ts';

export type Connection = Database.Database;

const BUSY_TIMEOUT_MS = 5000;

/** A connection to the file, which is created when missing, with its folder. Throws `StoreOpenError`. */
export function connect(path: string): Connection {
  return explainFailure(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      configure(db);
    } catch (error) {
      db.close();
      throw error;
    }
    return db;
  });
}

function configure(db: Connection): void {
  db.pragma('journal_mode = WAL');
  // FULL syncs the log at every commit: a vote that was accepted survives a power cut. NORMAL could lose the last ones.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
}

/**
 * Runs `work` as one transaction and gives its result; a throw undoes all of it. It takes the write lock first,
 * so what `work` reads cannot change before it writes, and a second writer waits instead of failing half-way.
 */
export function inTransaction<T>(db: Connection, work: () => T): T {
  return db.transaction(work).immediate();
}

/** Turns what goes wrong while a database file is opened into one line that says what to do. */
export function explainFailure<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof StoreOpenError || !(error instanceof Error)) throw error;
    throw new StoreOpenError(`The SQLite database ${path} cannot be opened: ${adviceFor(error)}`, error);
  }
}

function adviceFor(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_NOTADB') return 'the file is not a SQLite database. Name another file.';
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOENT)/.test(code)) {
    return 'it cannot be created or written there. Check the path and its permissions.';
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return 'another program holds it. Try again when that program is done.';
  }
  if (code.startsWith('SQLITE_CORRUPT')) return 'the file is damaged. Restore it from a backup.';
  return error.message;
}

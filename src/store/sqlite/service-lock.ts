import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { createPrivateFile, restrictToOwner } from '../private-file.ts';
import { type Connection, isBusy } from './connection.ts';

/**
 * A lock on a separate file next to the database: SQLite has no lock that lasts and still lets commands write. The
 * system releases it when the process exits for any reason.
 */
export function lockForService(path: string): { isTaken: boolean; release(): void } {
  const file = `${path}.lock`;
  let db: Connection | undefined;
  try {
    createPrivateFile(file);
    restrictToOwner(file);
    db = new Database(file, { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    return { isTaken: isBusy(error), release: () => {} };
  }
  const lock = db;
  return {
    isTaken: false,
    release: () => {
      try {
        rmSync(file, { force: true });
      } catch {
        // The folder has become read-only. A leftover file is not locked.
      }
      lock.close();
    },
  };
}

import Database from 'better-sqlite3';
import { CopyError, type CopySource, outdatedSource, serviceRuns } from '../../maintenance/copy.ts';
import { isCurrent } from '../../maintenance/migrations.ts';
import { refuseForeign } from '../../maintenance/schema-history.ts';
import { type Connection, explainFailure } from '../connection.ts';
import { readApplied, readColumns, SQLITE_MIGRATIONS } from '../migrate.ts';
import { lockForService } from '../service-lock.ts';
import { createReader } from './reader.ts';

/** Opens the file for reading only. */
export async function withSqliteSource<T>(
  path: string,
  isLive: boolean,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  const lock = lockForService(path);
  try {
    if (lock.isTaken && !isLive) throw serviceRuns(`is running on the database ${path}`);
    const db = openToRead(path);
    try {
      return await work(sourceOf(db));
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
}

function openToRead(path: string): Connection {
  let db: Connection | undefined;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    const applied = readApplied(db);
    refuseForeign(applied, SQLITE_MIGRATIONS, readColumns(db));
    if (!isCurrent(applied, SQLITE_MIGRATIONS)) throw outdatedSource();
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof CopyError ? error : explainFailure(path, error);
  }
}

function sourceOf(db: Connection): CopySource {
  // Changes with every commit of another connection. Its first value is from before the snapshot.
  const version = () => db.pragma('data_version', { simple: true });
  const before = version();
  beginSnapshot(db);
  return {
    ...createReader(db),
    async refresh() {
      db.exec('COMMIT');
      if (version() === before) return false;
      beginSnapshot(db);
      return true;
    },
    // This program holds the lock of services, so one that starts meanwhile is only noticed by what it writes.
    async refuseService() {},
  };
}

/** The first read fixes what the transaction sees. */
function beginSnapshot(db: Connection): void {
  db.exec('BEGIN');
  db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
}

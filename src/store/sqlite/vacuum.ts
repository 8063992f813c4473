import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { VacuumError, type Vacuumed } from '../maintenance/vacuum.ts';
import { explainFailure, openExisting } from './connection.ts';
import { lockForService } from './service-lock.ts';

/** SQLite writes the new file into the write-ahead log, and then over the old one. */
const COPIES = 2;

/** Writes the file anew, without free space and remains of deleted rows. Throws `VacuumError` and `StoreOpenError`. */
export function vacuumSqlite(path: string): Vacuumed {
  const lock = lockForService(path);
  if (lock.isTaken)
    throw new VacuumError(
      `the service is running on ${path}, and no vote could be stored meanwhile; stop it, run votary vacuum, and start it again`,
    );
  try {
    const bytesBefore = sizeOf(path);
    requireSpace(path, bytesBefore);
    const db = openExisting(path);
    try {
      db.exec('VACUUM');
      db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      throw explainFailure(path, error);
    } finally {
      db.close();
    }
    return { bytesBefore, bytesAfter: sizeOf(path) };
  } finally {
    lock.release();
  }
}

function requireSpace(path: string, bytes: number): void {
  const folder = dirname(path);
  const { bavail, bsize } = statfsSync(folder);
  const [needed, free] = [COPIES * bytes, bavail * bsize];
  if (free < needed)
    throw new VacuumError(
      `${folder} has ${toMegabytes(free)} MB of free space, but ${toMegabytes(needed)} MB are needed; nothing was changed`,
    );
}

function toMegabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}

/** With the write-ahead log. */
function sizeOf(path: string): number {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return statSync(path).size + (log?.size ?? 0);
}

import {
  type ResealCounts,
  type Resealer,
  resealAll,
  type SealedTexts,
  type SealedTextsOptions,
} from '../maintenance/reseal.ts';
import { type Connection, connect, retryWhileBusy } from './connection.ts';
import { createStatements } from './database.ts';
import { withExclusiveFile } from './exclusive-file.ts';
import { migrateSqlite } from './migrate.ts';

export async function withSealedTextsSqlite<T>(
  path: string,
  work: (sealed: SealedTexts) => Promise<T>,
  { isShared = false }: SealedTextsOptions,
): Promise<T> {
  await migrateSqlite(path);
  const use = (db: Connection) => work({ reseal: (resealer) => resealLocked(db, resealer) });
  if (!isShared) return withExclusiveFile(path, use);
  const db = connect(path);
  return use(db).finally(() => db.close());
}

/** Takes the write lock first: a server that runs at the same time waits instead of changing what is read here. */
async function resealLocked(db: Connection, resealer: Resealer): Promise<ResealCounts> {
  await retryWhileBusy(() => db.exec('BEGIN IMMEDIATE'));
  try {
    const counts = await resealAll(createStatements(db), resealer);
    db.exec('COMMIT');
    return counts;
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

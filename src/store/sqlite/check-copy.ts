import Database from 'better-sqlite3';
import { BackupError, type CheckedCopy } from '../backup.ts';
import { refuseNewerSchema } from '../migrations.ts';
import type { Connection } from './connection.ts';
import { SQLITE_MIGRATIONS, schemaVersion } from './migrate.ts';

/** Opens a file that nobody writes to, checks that it is a whole database of ours, and hands it on. */
export async function withCheckedCopy<T>(
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
  const version = schemaVersion(db);
  if (version === 0) throw new BackupError(`${file} is a database, but not one of Votary's`);
  refuseNewerSchema(version, SQLITE_MIGRATIONS);
  return { schemaVersion: version, guilds: count(db, 'guilds'), votes: count(db, 'votes') };
}

function count(db: Connection, table: 'guilds' | 'votes'): number {
  return db.prepare<[], { rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0;
}

function explain(file: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_NOTADB') return new BackupError(`${file} is not a backup of Votary`, error);
  if (error.code.startsWith('SQLITE_CANTOPEN')) {
    return new BackupError(`cannot read ${file}: check that it is there and that you may read it`, error);
  }
  return new BackupError(`${file} cannot be used: ${error.message}`, error);
}

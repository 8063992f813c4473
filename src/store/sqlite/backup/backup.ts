import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { BackupError, type BackupRequest, type CheckedCopy } from '../../backup.ts';
import { refuseIncompatible, schemaVersionOf } from '../../shared/migrations.ts';
import { OWNER_ONLY } from '../../shared/private-file.ts';
import { type Connection, connect } from '../connection.ts';
import { readApplied, SQLITE_MIGRATIONS } from '../migrate.ts';

/**
 * Writes a snapshot of the database to a new file next to `target`, readable by its owner only and synced to disk
 * when this resolves. Writers continue meanwhile, and never restart it.
 */
export async function writeCopy(db: Connection, target: string): Promise<string> {
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
  const applied = readApplied(db);
  if (applied.length === 0) throw new BackupError(`${file} is not a Votary database`);
  refuseIncompatible(applied, SQLITE_MIGRATIONS);
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

/** Copies a database that may be in use. The file appears complete and verified, or not at all. */
export async function backupSqlite(path: string, { file, beside }: BackupRequest): Promise<CheckedCopy> {
  if (!existsSync(path)) throw new BackupError(`there is no database at ${path}: nothing to back up`);
  if (existsSync(file)) throw alreadyThere(file);
  const db = connect(path);
  let draft: string | undefined;
  try {
    draft = await writeCopy(db, file);
    const checked = await withCheckedCopy(draft, (_db, found) => found);
    await beside();
    await link(draft, file).catch((error: unknown) => {
      throw existsSync(file) ? alreadyThere(file) : error;
    });
    return checked;
  } finally {
    if (draft) await rm(draft, { force: true });
    db.close();
  }
}

function alreadyThere(file: string): BackupError {
  return new BackupError(`${file} already exists, and backups are never overwritten: choose another file`);
}

import { existsSync } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { BackupError, type BackupRequest, type CheckedCopy } from '../backup.ts';
import { withCheckedCopy } from './check-copy.ts';
import { connect } from './connection.ts';
import { writeCopy } from './copy-file.ts';

/** Copies a database that may be in use. The file appears under its name whole and checked, or not at all. */
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
  return new BackupError(`${file} is there already, and a backup is never overwritten: name another file`);
}

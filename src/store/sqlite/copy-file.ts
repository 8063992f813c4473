import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { BackupError } from '../backup.ts';
import { OWNER_ONLY } from '../private-file.ts';
import type { Connection } from './connection.ts';

/**
 * Writes what the database holds at this moment into a new file beside `target`, readable by its owner only and on
 * the disk when this resolves. It is one read of one snapshot: writers go on meanwhile, and never start it again.
 */
export async function writeCopy(db: Connection, target: string): Promise<string> {
  const draft = `${target}.${randomBytes(6).toString('hex')}.partial`;
  try {
    // SQLite fills a file that is there and empty, and leaves its permissions alone.
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

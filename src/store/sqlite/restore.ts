import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Restored, RestoreRequest } from '../backup.ts';
import { withCheckedCopy } from './check-copy.ts';
import { writeCopy } from './copy-file.ts';
import { withExclusiveFile } from './exclusive.ts';
import { isDamaged } from './open-error.ts';

/**
 * Puts a checked copy of the file in the place of the database, in one step. The one before is kept aside. Refuses
 * while any program has the database open: it would go on writing to the one that was put aside.
 */
export async function restoreSqlite(path: string, request: RestoreRequest): Promise<Restored> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Copied and not moved: the backup stays a backup, and a file in write-ahead mode comes with what its log holds.
  const { draft, checked } = await withCheckedCopy(request.file, async (db, found) => ({
    draft: await writeCopy(db, path),
    checked: found,
  }));
  try {
    const kept = existsSync(path) ? await replace(path, draft, request) : await place(path, draft, request);
    return { ...checked, kept };
  } finally {
    await rm(draft, { force: true });
  }
}

async function replace(path: string, draft: string, request: RestoreRequest): Promise<string> {
  try {
    await withExclusiveFile(path, async (db) => {
      // Brings the log into the file and removes it: it must not be taken for the log of the restored one.
      db.pragma('journal_mode = DELETE');
      await link(path, request.aside);
      await place(path, draft, request);
    });
  } catch (error) {
    if (!isDamaged(error)) throw error;
    // What is damaged cannot be locked, nor be in good use: it goes aside as it is, log and all.
    for (const part of ['-wal', '-shm', '']) {
      if (existsSync(path + part)) await rename(path + part, request.aside + part);
    }
    await place(path, draft, request);
  }
  return request.aside;
}

async function place(path: string, draft: string, { before, after }: RestoreRequest): Promise<null> {
  await before();
  await rename(draft, path);
  await after();
  return null;
}

/** Files that only their owner may read: databases, secrets, keys and copies of them. */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

export const OWNER_ONLY = 0o600;

/** What may be wrong with a file that works all the same: somebody else owns it, or the disk is read-only. */
const NOT_OURS_TO_CHANGE = ['EPERM', 'EROFS', 'ENOENT'];

/**
 * Creates an empty file unless there is one. A file that is there is never opened: closing it would drop every lock
 * that SQLite holds on it in this process.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Takes the rights of group and others away from those of these files that exist. */
export function closeToOthers(...paths: string[]): void {
  for (const path of paths) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) === 0) continue;
    try {
      chmodSync(path, mode & 0o700);
    } catch (error) {
      if (!NOT_OURS_TO_CHANGE.includes(codeOf(error))) throw error;
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

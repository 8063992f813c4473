/** Files that only their owner may read: databases, secrets, keys and copies of them. */
import { chmodSync, closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export const OWNER_ONLY = 0o600;

/** Errors that do not prevent use of a file: another owner, or a read-only disk. */
const IGNORED_ERRORS = ['EPERM', 'EROFS', 'ENOENT'];

/**
 * Creates an empty file if it does not exist. An existing file is never opened, because closing it would release
 * every lock that SQLite holds on it in this process.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
    giveToFolderOwner(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * What root creates in the data directory belongs to the owner of the directory. Otherwise the service, which runs as
 * that user, could not open a file that a command of root has created.
 */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) lchownSync(path, uid, gid);
}

/**
 * Creates a folder and those above it. Node's recursive `mkdir` never returns inside a folder that accepts no new ones,
 * such as /proc.
 */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    giveToFolderOwner(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Removes the permissions of group and others from the files that exist. */
export function restrictToOwner(...paths: string[]): void {
  for (const path of paths) {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) === 0) continue;
    try {
      chmodSync(path, mode & 0o700);
    } catch (error) {
      if (!IGNORED_ERRORS.includes(codeOf(error))) throw error;
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

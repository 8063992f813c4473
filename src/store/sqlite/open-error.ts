import { StoreOpenError } from '../store.ts';

/** Turns what goes wrong while the file is opened into one line that says what to do. */
export function explainFailure(path: string, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  return new StoreOpenError(`The SQLite database ${path} cannot be opened: ${adviceFor(error)}`, error);
}

function adviceFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_NOTADB') return 'the file is not a SQLite database. Name another file.';
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOENT)/.test(code)) {
    return 'it cannot be created or written there. Check the path and its permissions.';
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return 'another program holds it. Try again when that program is done.';
  }
  if (code.startsWith('SQLITE_CORRUPT')) return 'the file is damaged. Restore it from a backup.';
  return error instanceof Error ? error.message : String(error);
}

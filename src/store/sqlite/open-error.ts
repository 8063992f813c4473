import { StoreOpenError } from '../store.ts';

/** Turns what goes wrong while the file is opened into one line that says what to do. */
export function explainFailure(path: string, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  return new StoreOpenError(`The SQLite database ${path} cannot be opened: ${adviceFor(error)}`, error);
}

/** Whether the file itself is the trouble, and not who holds it or may read it. */
export function isDamaged(error: unknown): boolean {
  const cause = error instanceof StoreOpenError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && /^SQLITE_(?:NOTADB|CORRUPT)/.test(String(cause.code));
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
  if (code.startsWith('SQLITE_CORRUPT'))
    return 'the file is damaged. Put a backup in its place with: votary restore FILE';
  return error instanceof Error ? error.message : String(error);
}

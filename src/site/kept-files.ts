/**
 * Files that threads read while the service runs. An upgrade may have replaced them by then, so they are opened when the
 * service starts.
 */
import { existsSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** On Linux, the path of an open file stays valid when the file is deleted or replaced. */
export function keepReadable(path: string): string {
  const open = `/proc/self/fd/${openSync(path, 'r')}`;
  return existsSync(open) ? open : path;
}

/** The code of a thread: its text in the package, where it is one file, and its source in a clone. */
export function readWorker(source: URL): URL | string {
  const built = fileURLToPath(source).replace(/\.ts$/, '.cjs');
  return existsSync(built) ? readFileSync(built, 'utf8') : source;
}

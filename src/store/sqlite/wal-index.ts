import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';

/** The first copy of the header. SQLite writes it last, when a commit becomes visible to other connections. */
const HEADER_BYTES = 48;

/**
 * The index of the write-ahead log, which all connections to a database file share in memory: the file `-shm`. Every commit
 * changes its header (https://sqlite.org/walformat.html), so as long as that is the same, nothing was committed. One read of
 * it takes a third of the time of `PRAGMA data_version`, which locks and unlocks this file:
 * docs/decisions/0056-changes-by-other-programs.md.
 */
export class WalIndex {
  readonly #file: OpenFile;
  readonly #bytes = new Uint8Array(HEADER_BYTES);
  readonly #header = new Int32Array(this.#bytes.buffer);
  readonly #known = new Int32Array(this.#header.length);
  #isKnown = false;

  /**
   * `undefined` if no connection of this process uses the index, as in another journal mode, or where that cannot be known.
   * Only on Linux, where reading a file is known to return what other processes have written to it in memory.
   */
  static open(databasePath: string): WalIndex | undefined {
    if (process.platform !== 'linux') return undefined;
    try {
      // SQLite resolves links too.
      const path = `${realpathSync(databasePath)}-shm`;
      return isMapped(path) ? new WalIndex(openShared(path)) : undefined;
    } catch {
      return undefined;
    }
  }

  private constructor(file: OpenFile) {
    this.#file = file;
  }

  /** Whether the header differs from that of the previous call. True if it cannot be read. */
  hasChanged(): boolean {
    let isSame = this.#read() && this.#isKnown;
    for (let i = 0; isSame && i < this.#header.length; i += 1) isSame = this.#header[i] === this.#known[i];
    if (isSame) return false;
    this.#known.set(this.#header);
    this.#isKnown = true;
    return true;
  }

  /** Once, when the connections of its user are closed. */
  close(): void {
    closeShared(this.#file);
  }

  #read(): boolean {
    try {
      return readSync(this.#file.fd, this.#bytes, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    } catch {
      return false;
    }
  }
}

type OpenFile = { id: string; path: string; fd: number; users: number };

/**
 * One descriptor for all users of a file. When a process closes any descriptor of a file, it loses all locks that it has on
 * that file, so it stays open while a connection of this process uses the file.
 */
const openFiles = new Map<string, OpenFile>();

function openShared(path: string): OpenFile {
  const { dev, ino } = statSync(path);
  const id = `${dev} ${ino}`;
  const file = openFiles.get(id) ?? { id, path, fd: openSync(path, 'r'), users: 0 };
  file.users += 1;
  openFiles.set(id, file);
  return file;
}

function closeShared(file: OpenFile): void {
  file.users -= 1;
  if (file.users > 0 || isMapped(file.path)) return;
  openFiles.delete(file.id);
  closeSync(file.fd);
}

/** Whether this process shares the memory of the file, which is listed by its current path. */
function isMapped(path: string): boolean {
  const mappings = readFileSync('/proc/self/maps', 'utf8').split('\n');
  return mappings.some((line) => line.endsWith(` ${path}`));
}

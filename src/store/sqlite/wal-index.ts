import {
  closeSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** The first copy of the header. SQLite writes it last, when a commit becomes visible to other connections. */
const HEADER_BYTES = 48;

/**
 * Where Linux returns what other processes have written to a file in memory when it is read. Network file systems, and folders
 * of another operating system, may return older bytes. The numbers are those of statfs(2).
 */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

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
  #isClosed = false;

  /**
   * `undefined` if no connection of this process uses the index, as in another journal mode, or where that, or the file
   * system, is not known. Not in a worker thread, because Node closes its descriptors when the thread ends.
   */
  static open(
    databasePath: string,
    fileSystemOf: (path: string) => number = (path) => statfsSync(path).type,
  ): WalIndex | undefined {
    if (process.platform !== 'linux' || !isMainThread) return undefined;
    try {
      // SQLite resolves links too.
      const path = `${realpathSync(databasePath)}-shm`;
      const isUsable = isMapped(path) && LOCAL_FILE_SYSTEMS.has(fileSystemOf(path));
      return isUsable ? new WalIndex(openShared(path)) : undefined;
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

  /** When the connections of its user are closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#file.users -= 1;
    closeUnused();
  }

  #read(): boolean {
    if (this.#isClosed) return false;
    try {
      return readSync(this.#file.fd, this.#bytes, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    } catch {
      return false;
    }
  }
}

type OpenFile = { fd: number; users: number };

/**
 * One descriptor for all users of a file, by its device and number. When a process closes any descriptor of a file, it loses all
 * locks that it has on that file, so it stays open while a connection of this process uses the file.
 */
const openFiles = new Map<string, OpenFile>();

function openShared(path: string): OpenFile {
  closeUnused();
  // Numbers of files can be larger than 2^53.
  const { dev, ino } = statSync(path, { bigint: true });
  const id = `${dev} ${ino}`;
  const file = openFiles.get(id) ?? { fd: openSync(path, 'r'), users: 0 };
  file.users += 1;
  openFiles.set(id, file);
  return file;
}

function closeUnused(): void {
  for (const [id, { fd, users }] of openFiles) {
    if (users > 0 || isMapped(readlinkSync(`/proc/self/fd/${fd}`))) continue;
    openFiles.delete(id);
    closeSync(fd);
  }
}

/** Whether this process shares the memory of the file. Linux lists its current path, followed by ` (deleted)` if it is. */
function isMapped(path: string): boolean {
  // Address, permissions, offset, device, number, path.
  const mappings = readFileSync('/proc/self/maps', 'utf8').matchAll(/^(?:\S+ +){5}(.*)$/gm);
  for (const [, mapped] of mappings) if (mapped === path) return true;
  return false;
}

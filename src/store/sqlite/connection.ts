import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { OtherProgramError } from '../maintenance/schema-history.ts';
import { PendingWork } from '../pending-work.ts';
import { createPrivateFile, makePrivateFolder, restrictToOwner } from '../private-file.ts';
import { type QueryObserver, StoreOpenError, StoreUnavailableError } from '../store.ts';
import { prepareOnUse } from './prepare-on-use.ts';
import { WalIndex } from './wal-index.ts';
import { WriteQueue } from './write-queue.ts';

export type Connection = Database.Database;

/** How long SQLite itself waits for a lock. This blocks the whole process. */
const BUSY_TIMEOUT_MS = 5000;

/** A server's write waits only this long inside SQLite, then yields to requests that only read. */
const RETRY_MS = 10;
const MAX_ATTEMPTS = 500;

/** Small: vote checks are served from memory, and the system caches the pages of the file. */
const READER_CACHE_KIB = 2048;

/** The pages that a group of votes changes, which would be written twice if they did not fit. */
const WRITER_CACHE_KIB = 4096;

/**
 * How large the log becomes before its pages are copied into the file. Every group of votes changes the same pages again,
 * so each is copied less often than with SQLite's 1000 pages.
 */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;

export type ConnectionsOptions = {
  onQuery?: QueryObserver | undefined;
  /** Prepares all statements when they are first used, also those of stores that do not do so themselves. */
  preparesOnUse?: boolean | undefined;
  /** The time in milliseconds, which limits how long a group of writes takes and measures how long each took. */
  now?: () => number;
};

/** The connections that the requests of a server share: reads continue while a write waits for another program. */
export class Connections {
  readonly reader: Connection;
  readonly writer: Connection;
  /** `undefined` where it cannot be read. */
  readonly walIndex: WalIndex | undefined;
  readonly #pending = new PendingWork();
  readonly #writes: WriteQueue;
  #failedWrite = (): void => undefined;
  /** For each change in memory since the current transaction began, in order. */
  readonly #undos: (() => void)[] = [];

  constructor(path: string, options: ConnectionsOptions = {}) {
    const { onQuery, preparesOnUse = false, now = () => performance.now() } = options;
    const open = () => (preparesOnUse ? prepareOnUse(connect(path)) : connect(path));
    this.reader = open();
    this.writer = open();
    this.writer.pragma(`busy_timeout = ${RETRY_MS}`);
    // Deleted content is overwritten with zeros, instead of staying in the file until its place is used again.
    this.writer.pragma('secure_delete = ON');
    const pageBytes = Number(this.writer.pragma('page_size', { simple: true }));
    this.writer.pragma(`wal_autocheckpoint = ${CHECKPOINT_BYTES / pageBytes}`);
    this.reader.pragma(`cache_size = -${READER_CACHE_KIB}`);
    this.writer.pragma(`cache_size = -${WRITER_CACHE_KIB}`);
    this.walIndex = WalIndex.open(path);
    this.#writes = this.#createQueue(now, onQuery);
  }

  /**
   * Runs the statements of `work` all or not at all, once no other program is writing, and resolves when they are
   * stored. Every write of a server passes through here. Writes of one tick are stored by one commit.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#writes.add(work);
  }

  /** For many rows at once: no other write has to wait for these in its group. */
  writeMany<T>(work: () => T): Promise<T> {
    return this.#writes.add(work, true);
  }

  /** Rejects if the file or its disk cannot be written. Another program that is writing is no reason. */
  probeWrite(): void {
    try {
      probeWrite(this.writer);
    } catch (error) {
      if (!isBusy(error)) throw explainUnavailable(error);
    }
  }

  get waitingWrites(): number {
    return this.#writes.size;
  }

  /** Called immediately when writes were rolled back; not while another program's lock prevents them. */
  onFailedWrite(listener: () => void): void {
    this.#failedWrite = listener;
  }

  /**
   * For work that also changes something in memory: `undo` is called if the transaction is rolled back, or the part of it that
   * fails alone. The work may then run again.
   */
  onRollback(undo: () => void): void {
    this.#undos.push(undo);
  }

  /** `close` waits for this promise. */
  track<T>(work: Promise<T>): Promise<T> {
    return this.#pending.track(work);
  }

  #createQueue(now: () => number, onQuery: QueryObserver = () => {}): WriteQueue {
    const { writer } = this;
    const transaction = writer.transaction((work: () => void) => work());
    return new WriteQueue({
      transact: (work) => {
        const before = this.#undos.length;
        let hasBegun = false;
        try {
          transaction.immediate(() => {
            hasBegun = true;
            work();
          });
        } catch (error) {
          for (const undo of this.#undos.splice(before).toReversed()) undo();
          if (hasBegun) this.#failedWrite();
          throw error;
        }
        if (!writer.inTransaction) this.#undos.length = 0;
      },
      isInTransaction: () => writer.inTransaction,
      explain: explainUnavailable,
      onSettled: (ms, hasFailed) => onQuery('transaction', ms, hasFailed),
      ...{ isBusy, maxAttempts: MAX_ATTEMPTS, retryMs: RETRY_MS, now },
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#writes.settled(), this.#pending.settled()]);
    this.writer.close();
    this.reader.close();
    this.walIndex?.close();
  }
}

/** Retries until no other program is writing. */
export async function retryWhileBusy<T>(work: () => T): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || attempt === MAX_ATTEMPTS) throw error;
    }
    await pause(RETRY_MS);
  }
}

/** Whether the failure means that another program has locked the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

/** A small write that is on disk when this returns. */
export function probeWrite(db: Connection): void {
  db.prepare(
    `INSERT INTO write_probes (id, probed_at) VALUES (1, unixepoch())
     ON CONFLICT (id) DO UPDATE SET probed_at = excluded.probed_at`,
  ).run();
}

/** A statement that failed because of the state of the file or its disk becomes a `StoreUnavailableError`. */
export function explainUnavailable(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code.startsWith('SQLITE_READONLY')) return new StoreUnavailableError('read-only', error);
  if (error.code.startsWith('SQLITE_FULL')) return new StoreUnavailableError('full', error);
  const isAway = /^SQLITE_(?:BUSY|IOERR|CANTOPEN)/.test(error.code);
  return isAway ? new StoreUnavailableError('unreachable', error) : error;
}

/** A connection to the file; creates the file and its folder if missing. Throws `StoreOpenError`. */
export function connect(path: string): Connection {
  try {
    makePrivateFolder(dirname(path));
    createPrivateFile(path);
    restrictDatabaseToOwner(path);
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    configure(db);
    return db;
  } catch (error) {
    throw explainFailure(path, error);
  }
}

/** A connection to an existing file; nothing is created, and no permissions are changed. Throws `StoreOpenError`. */
export function openExisting(path: string): Connection {
  try {
    return new Database(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true });
  } catch (error) {
    throw explainFailure(path, error);
  }
}

/** SQLite creates the files beside a database with the mode of the database itself. */
export function restrictDatabaseToOwner(path: string): void {
  restrictToOwner(path, `${path}-wal`, `${path}-shm`, `${path}-journal`);
}

function configure(db: Connection): void {
  // FULL syncs the log at every commit, so accepted votes survive a power failure. NORMAL could lose the last ones.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
}

/**
 * Runs `work` as one transaction and returns its result; an exception rolls it back. Takes the write lock first, so
 * what `work` reads cannot change before it writes, and a second writer waits instead of failing.
 */
export function inTransaction<T>(db: Connection, work: () => T): T {
  return db.transaction(work).immediate();
}

/** Turns an error while opening the file into one line that says what to do. */
export function explainFailure(path: string, error: unknown): unknown {
  if (error instanceof StoreOpenError && !(error instanceof OtherProgramError)) return error;
  return new StoreOpenError(`The SQLite database ${path} cannot be opened: ${adviceFor(error)}`, error);
}

/** Whether the file itself is damaged, as opposed to locked or unreadable. */
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
    return 'another program has locked it. Try again when that program is done.';
  }
  if (code.startsWith('SQLITE_CORRUPT'))
    return 'the file is damaged. Restore a backup with: votary restore FILE';
  return error instanceof Error ? error.message : String(error);
}

import { setTimeout as pause, setImmediate as yieldToRequests } from 'node:timers/promises';

type QueueOptions = {
  /** Runs the work as one transaction; inside another one, as a part that fails alone. Throws what the work throws. */
  transact: (work: () => void) => void;
  /** False when a failure has rolled back the whole transaction. */
  isInTransaction: () => boolean;
  /** Whether the failure means that another program is writing. */
  isBusy: (error: unknown) => boolean;
  maxAttempts: number;
  /** The pause between two attempts. */
  retryMs: number;
  /** The time in milliseconds, to end a group that takes long, and to measure how long writes take. */
  now: () => number;
  /** Returns the error that the promise of a failed write is rejected with. */
  explain: (error: unknown) => unknown;
  /** Called once for each write, when its promise settles; `ms` is the time since it was added. Must not throw. */
  onSettled: (ms: number, hasFailed: boolean) => void;
};

/** What is stored by one commit: more would save little, and requests that only read would wait for it. */
const MAX_GROUP = 128;
const MAX_GROUP_MS = 8;

type Waiting = {
  run: () => void;
  /** Settles the promise with the outcome of `run`; called when the group is stored. */
  settle: () => void;
  reject: (error: unknown) => void;
  attemptsLeft: number;
  isLong: boolean;
};

/**
 * The writes of this program, in the order in which they were added. Those of one tick of the event loop are stored by
 * one commit, because a commit takes longer than a write: it waits for the disk. A write that fails fails alone; a
 * commit that fails, fails all of its writes.
 *
 * SQLite blocks the whole process while a write waits for another program's lock, so a group tries again after a pause,
 * and requests that only read run in between.
 */
export class WriteQueue {
  readonly #options: QueueOptions;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** The number of writes that wait, including those that run. */
  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Resolves when the result is stored. `work` runs again if another write of its group fails, so it changes only what a
   * rollback undoes. `isLong`: no other write has to wait for this one in its group.
   */
  add<T>(work: () => T, isLong = false): Promise<T> {
    const { now, explain, onSettled, maxAttempts } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const addedAt = now();
    const waiting: Waiting = {
      run: () => {
        const result = work();
        waiting.settle = () => {
          resolve(result);
          onSettled(now() - addedAt, false);
        };
      },
      settle: () => {},
      reject: (error) => {
        reject(explain(error));
        onSettled(now() - addedAt, true);
      },
      attemptsLeft: maxAttempts,
      isLong,
    };
    this.#waiting.push(waiting);
    this.#running ??= this.#runAll();
    return promise;
  }

  /** Resolves when no write waits. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #runAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        await yieldToRequests();
        const busy = this.#runGroup();
        if (busy) {
          this.#countAttempt(busy.error);
          await pause(this.#options.retryMs);
        }
      }
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * Returns the error if another program is writing, and the group has to be tried again. A savepoint copies every page
   * that its write changes, and nearly no write fails, so the group first runs without them.
   */
  #runGroup(): { error: unknown } | undefined {
    let hasFailedAlone = false;
    const group: Waiting[] = [];
    try {
      this.#store(group, (waiting) => {
        try {
          waiting.run();
        } catch (error) {
          hasFailedAlone = this.#options.isInTransaction();
          throw error;
        }
      });
    } catch (error) {
      if (!hasFailedAlone) return this.#failGroup(group, error);
      if (group.length > 1) return this.#runGroupApart();
      this.#waiting.shift()?.reject(error);
      return undefined;
    }
    settleAll(group);
    return undefined;
  }

  /** Each write inside a savepoint, which is rolled back if the write fails. */
  #runGroupApart(): { error: unknown } | undefined {
    const group: Waiting[] = [];
    try {
      this.#store(group, (waiting) => this.#runApart(waiting));
    } catch (error) {
      return this.#failGroup(group, error);
    }
    settleAll(group);
    return undefined;
  }

  #runApart(waiting: Waiting): void {
    try {
      this.#options.transact(waiting.run);
    } catch (error) {
      if (!this.#options.isInTransaction()) throw error;
      waiting.settle = () => waiting.reject(error);
    }
  }

  /** Runs writes and commits them. Adds to `group` each one before it runs. */
  #store(group: Waiting[], run: (waiting: Waiting) => void): void {
    this.#options.transact(() => this.#runEach(group, run));
    this.#waiting.splice(0, group.length);
  }

  #runEach(group: Waiting[], run: (waiting: Waiting) => void): void {
    const end = this.#options.now() + MAX_GROUP_MS;
    for (const waiting of this.#waiting) {
      if (waiting.isLong && group.length > 0) return;
      group.push(waiting);
      run(waiting);
      if (waiting.isLong || group.length === MAX_GROUP || this.#options.now() >= end) return;
    }
  }

  #failGroup(group: readonly Waiting[], error: unknown): { error: unknown } | undefined {
    if (this.#options.isBusy(error)) return { error };
    // The first one, if not even a transaction could begin.
    for (const { reject } of this.#waiting.splice(0, Math.max(group.length, 1))) reject(error);
    return undefined;
  }

  /** A failed attempt counts for the whole queue, so every write fails in time. */
  #countAttempt(error: unknown): void {
    for (const waiting of this.#waiting) waiting.attemptsLeft -= 1;
    for (const { attemptsLeft, reject } of this.#waiting) if (attemptsLeft <= 0) reject(error);
    this.#waiting = this.#waiting.filter(({ attemptsLeft }) => attemptsLeft > 0);
  }
}

function settleAll(group: readonly Waiting[]): void {
  for (const { settle } of group) settle();
}

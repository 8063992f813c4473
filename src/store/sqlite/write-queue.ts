import { setTimeout as pause, setImmediate as yieldToRequests } from 'node:timers/promises';

type QueueOptions = {
  /** Whether the failure means that another program is writing. */
  isBusy: (error: unknown) => boolean;
  maxAttempts: number;
  /** The pause between two attempts. */
  retryMs: number;
};

type Waiting = { run: () => void; reject: (error: unknown) => void; attemptsLeft: number };

/**
 * The writes of this program, one after the other. SQLite blocks the whole process while a write waits for another
 * program's lock, so only the first in the queue tries, and requests that only read run in between.
 */
export class WriteQueue {
  readonly #options: QueueOptions;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** The number of writes that wait, including the one that runs. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Runs the work immediately when the queue is empty and the database is not locked. */
  add<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ run: () => resolve(work()), reject, attemptsLeft: this.#options.maxAttempts });
    if (!this.#isRunning) void this.#runAll();
    return promise;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const failure = tryOnce(first);
      if (failure && this.#options.isBusy(failure.error)) {
        this.#countAttempt(failure.error);
        await pause(this.#options.retryMs);
        continue;
      }
      if (failure) first.reject(failure.error);
      this.#waiting.shift();
      if (this.#waiting.length > 0) await yieldToRequests();
    }
    this.#isRunning = false;
  }

  /** A failed attempt counts for the whole queue, so every write fails in time. */
  #countAttempt(error: unknown): void {
    for (const waiting of this.#waiting) waiting.attemptsLeft -= 1;
    for (const { attemptsLeft, reject } of this.#waiting) if (attemptsLeft <= 0) reject(error);
    this.#waiting = this.#waiting.filter(({ attemptsLeft }) => attemptsLeft > 0);
  }
}

function tryOnce({ run }: Waiting): { error: unknown } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return { error };
  }
}

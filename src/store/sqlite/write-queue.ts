import { setTimeout as pause, setImmediate as yieldToRequests } from 'node:timers/promises';

type Options = {
  /** Whether the failure says that another program is writing. */
  isBusy: (error: unknown) => boolean;
  /** How often a write is tried before it fails, and how long it waits in between. */
  turns: number;
  turnMs: number;
};

type Waiting = { run: () => void; reject: (error: unknown) => void; turnsLeft: number };

/**
 * The writes of this program, one after the other. SQLite stands still, and the whole program with it, while a write
 * tries to get past another program's: so only the first in the row tries, however many wait behind it, and requests
 * that read go on in between.
 */
export class WriteQueue {
  readonly #options: Options;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Runs the work at once when nothing is in its way. */
  add<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ run: () => resolve(work()), reject, turnsLeft: this.#options.turns });
    if (!this.#isRunning) void this.#runAll();
    return promise;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const failure = tryOnce(first);
      if (failure && this.#options.isBusy(failure.error)) {
        this.#loseTurn(failure.error);
        await pause(this.#options.turnMs);
        continue;
      }
      if (failure) first.reject(failure.error);
      this.#waiting.shift();
      if (this.#waiting.length > 0) await yieldToRequests();
    }
    this.#isRunning = false;
  }

  /** Nobody's turn came. Everyone has waited, so whoever waited too long fails, first in the row or not. */
  #loseTurn(error: unknown): void {
    for (const waiting of this.#waiting) waiting.turnsLeft -= 1;
    for (const { turnsLeft, reject } of this.#waiting) if (turnsLeft <= 0) reject(error);
    this.#waiting = this.#waiting.filter(({ turnsLeft }) => turnsLeft > 0);
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

/** Items that one statement handles together. See docs/decisions/0054-admit-on-postgresql.md. */

/** Larger batches are split, so statements stay short. */
const MAX_BATCH = 100;

/**
 * From this many on, items that wait are sent while another statement runs: the database continues with them at once, while
 * this process reads the results of the other one. Fewer would not be worth a statement, which costs as much as several
 * of its items.
 */
const MIN_SECOND = 12;

/**
 * From this many on, half of the items are the next batch. Otherwise those that are answered together would arrive together
 * again, and this process and the database would wait for each other.
 */
const MIN_HALVED = 2 * MIN_SECOND;

/** Two statements are sent at a time. After this time another one is started, so that slow ones only delay their own items. */
const MAX_WAIT_MS = 5;

export type BatchOptions<Item, Result> = {
  /** Returns one result for each item, in order. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Whether one statement can handle both. */
  fits(first: Item, item: Item): boolean;
  /** Called before a statement is started because others are slow: it must not wait for them. */
  onSlow(): void;
  /** The store is not closed before this promise has settled. */
  track(work: Promise<void>): void;
};

type Waiting<Item, Result> = {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
};

/**
 *   const batches = new Batches({ run: (lookups) => ..., fits: (first, lookup) => ..., onSlow, track });
 *   const admission = await batches.add(lookup);
 */
export class Batches<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #isStarting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  /** At the earliest, the item is sent with the others of this tick. */
  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** Starts another statement: in this tick if it may run, or later unless one that runs takes what is waiting. */
  #schedule(): void {
    if (this.#isStarting) return;
    const isNext = this.#running === 1 && this.#waiting.length >= MIN_SECOND;
    if (this.#running === 0 || isNext) {
      this.#isStarting = true;
      queueMicrotask(() => this.#start());
    } else this.#timer ??= setTimeout(() => this.#startBesideSlow(), MAX_WAIT_MS);
  }

  #startBesideSlow(): void {
    this.#options.onSlow();
    this.#start();
  }

  #start(): void {
    this.#isStarting = false;
    this.#options.track(this.#runAll());
  }

  /**
   * One batch after the other, until none is left. The next one is sent before the results of the last are handed out:
   * the database works on it while this process answers.
   */
  async #runAll(): Promise<void> {
    this.#running += 1;
    let settle: () => void = () => {};
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      const running = this.#run(batch);
      // The pool sends a statement in the next tick, so after that.
      process.nextTick(settle);
      settle = await running;
    }
    this.#running -= 1;
    settle();
  }

  #take(): Waiting<Item, Result>[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [first] = this.#waiting;
    if (!first) return [];
    const other = this.#waiting.findIndex(({ item }) => !this.#options.fits(first.item, item));
    const fitting = other === -1 ? this.#waiting.length : other;
    const most = fitting >= MIN_HALVED ? Math.ceil(fitting / 2) : fitting;
    const batch = this.#waiting.splice(0, Math.min(most, MAX_BATCH));
    if (this.#waiting.length > 0) this.#schedule();
    return batch;
  }

  /** Returns what hands out the results. */
  async #run(batch: readonly Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a batch has one result for each item');
      return () => {
        for (const [i, result] of results.entries()) batch[i]?.resolve(result);
      };
    } catch (error) {
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
  }
}

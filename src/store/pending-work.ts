import type { QueryKind, QueryObserver } from './store.ts';

/** Tracks unfinished work, so that closing a store can wait for it, and reports how long queries took. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>();
  readonly #onQuery: QueryObserver | undefined;

  constructor(onQuery?: QueryObserver) {
    this.#onQuery = onQuery;
  }

  /** Returns the promise and tracks it until it settles. Work without a kind is not reported. */
  track<T>(work: Promise<T>, kind?: QueryKind): Promise<T> {
    const startedAt = performance.now();
    this.#running.add(work);
    const settle = (hasFailed: boolean): void => {
      this.#running.delete(work);
      if (kind) this.#onQuery?.(kind, performance.now() - startedAt, hasFailed);
    };
    work.then(
      () => settle(false),
      () => settle(true),
    );
    return work;
  }

  /** Resolves when all work has settled; failures are reported to the code that started it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

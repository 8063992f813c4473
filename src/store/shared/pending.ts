/** Tracks unfinished work, so that closing a store can wait for it. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>();

  /** Returns the promise and tracks it until it settles. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all work has settled; failures are reported to the code that started it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

/** Work that has been started and not yet ended, so that closing a store can wait for it. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>();

  /** Gives the promise back, and remembers it until it settles. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Resolves when all of it has ended, well or not: whoever started it hears of its failure. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

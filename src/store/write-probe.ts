import { SECOND_MS } from '../domain/clock.ts';

const PROBE_EVERY_MS = SECOND_MS;

/**
 * Finds out whether the database can be written, by writing. However many ask, there is one write at a time, and at most
 * one per second while writes succeed.
 *
 *   const probe = new WriteProbe(() => database.probeWrite());
 *   await probe.check();   // rejects like the write
 */
export class WriteProbe {
  readonly #write: () => Promise<void>;
  readonly #now: () => number;
  #pending: Promise<void> | undefined;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(write: () => Promise<void>, now: () => number = () => performance.now()) {
    this.#write = write;
    this.#now = now;
  }

  async check(): Promise<void> {
    if (this.#now() < this.#nextAt) return;
    this.#pending ??= this.#run().finally(() => {
      this.#pending = undefined;
    });
    await this.#pending;
  }

  async #run(): Promise<void> {
    await this.#write();
    this.#nextAt = this.#now() + PROBE_EVERY_MS;
  }
}

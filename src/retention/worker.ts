/**
 * Deletes expired data while the service runs. Any number of processes can share a database.
 *
 *   const worker = new RetentionWorker({ store, clock, logger });
 *   worker.start();
 *   await worker.stop();
 */
import { type Clock, type Instant, SECOND_MS } from '../domain/clock.ts';
import { createRetention, type RetainedStore } from './retention.ts';

type Deps = {
  store: RetainedStore;
  clock: Clock;
  /** The part of pino that is used. */
  logger: { error(details: object, message: string): void };
};

/** How often the next batch of a round is deleted. */
const POLL_MS = SECOND_MS;

export class RetentionWorker {
  readonly #clock: Clock;
  readonly #retain: (now: Instant) => Promise<void>;
  #poll: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor({ store, clock, logger }: Deps) {
    this.#clock = clock;
    this.#retain = createRetention(store, {
      onFailure: (step, error) =>
        logger.error({ err: error, step }, 'retention: expired data was not deleted'),
      isStopping: () => this.#isStopping,
    });
  }

  start(): void {
    this.#poll ??= setInterval(() => void this.runDue(), POLL_MS);
    void this.runDue();
  }

  /** Waits for the batch that is being deleted. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    await this.#running;
  }

  /** Deletes one batch of everything that is due. One pass at a time; never rejects. */
  runDue(): Promise<void> {
    this.#running ??= this.#retain(this.#clock()).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}

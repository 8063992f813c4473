/**
 * Deletes expired data while the service runs. Any number of processes can share a database.
 *
 *   const worker = new RetentionWorker({ store, clock, logger });
 *   worker.start();
 *   await worker.stop();
 */
import { type Clock, type Instant, SECOND_MS } from '../domain/clock.ts';
import { PollingWorker } from '../polling-worker.ts';
import { createRetention, type RetainedStore } from './retention.ts';

type Deps = {
  store: RetainedStore;
  clock: Clock;
  /** Null: votes are kept forever. */
  keepVotesDays?: number | null;
  /** The part of pino that is used. */
  logger: { error(details: object, message: string): void };
};

/** How often the next batch of a round is deleted. */
const POLL_MS = SECOND_MS;

export class RetentionWorker extends PollingWorker {
  readonly #clock: Clock;
  readonly #retain: (now: Instant) => Promise<void>;

  constructor({ store, clock, keepVotesDays = null, logger }: Deps) {
    super(POLL_MS);
    this.#clock = clock;
    this.#retain = createRetention(store, {
      onFailure: (step, error) =>
        logger.error({ err: error, step }, 'retention: expired data was not deleted'),
      keepVotesDays,
      isStopping: () => this.isStopping,
    });
  }

  /** Deletes one batch of everything that is due. */
  protected pass(): Promise<void> {
    return this.#retain(this.#clock());
  }
}

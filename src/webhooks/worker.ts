import { setImmediate as endOfTick } from 'node:timers/promises';
import { HOUR_MS, type Instant, SECOND_MS } from '../domain/clock.ts';
import { CLAIM_MS } from '../domain/webhooks/delivery.ts';
import type { AttemptResult, ClaimedDelivery, DueEndpoint } from '../store/webhooks/store.ts';
import { type AttemptDeps, attemptDelivery } from './attempt.ts';
import { type Attempt, isUnhealthy, type Slots } from './slots.ts';

/** The part of pino that is used. */
export type WorkerLog = { error(details: object, message: string): void };

type WorkerDeps = AttemptDeps & { logger: WorkerLog; slots: Slots };

const POLL_MS = SECOND_MS;

const STOP_DEADLINE_MS = 10 * SECOND_MS;

const FORGET_EVERY_MS = HOUR_MS;

/**
 * Sends due deliveries. Any number of workers can share a PostgreSQL database; a SQLite file has one.
 *
 *   const worker = new WebhookWorker({ store, clock, random, sealKey, send, slots, logger });
 *   worker.start();
 *   worker.wake(guildId);   // something was queued for this guild
 *   await worker.stop();
 */
export class WebhookWorker {
  readonly #deps: WorkerDeps;
  readonly #slots: Slots;
  readonly #inProgress = new Set<Promise<void>>();
  /** The guilds to look at in the next pass; all of them if `#isPollDue`. */
  #scheduled = new Set<string>();
  #isPollDue = false;
  readonly #abort = new AbortController();
  #dispatching: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #forgetAt: Instant = 0;
  #isStopping = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#slots = deps.slots;
  }

  /** Checks for work now and every second: retries become due, and other processes queue events too. */
  start(): void {
    this.#poll ??= setInterval(() => this.#scheduleAll(), POLL_MS);
    this.#scheduleAll();
  }

  /** Sends what was queued for a guild without waiting for the next poll. */
  wake(guildId: string): void {
    this.#schedule(guildId);
  }

  /** Sends everything that is due and resolves when nothing is in progress. */
  async runDue(): Promise<void> {
    this.#scheduleAll();
    await this.#settle();
  }

  /**
   * Starts nothing new, waits for attempts in progress, and releases those without a response at the
   * deadline.
   */
  async stop(deadlineMs: number = STOP_DEADLINE_MS): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    const deadline = setTimeout(() => this.#abort.abort(), deadlineMs);
    await this.#settle();
    clearTimeout(deadline);
  }

  async #settle(): Promise<void> {
    while (this.#dispatching || this.#inProgress.size > 0) {
      await this.#dispatching;
      await Promise.all(this.#inProgress);
    }
  }

  #scheduleAll(): void {
    this.#isPollDue = true;
    this.#dispatchSoon();
  }

  #schedule(guildId: string): void {
    this.#scheduled.add(guildId);
    this.#dispatchSoon();
  }

  #dispatchSoon(): void {
    if (this.#isStopping) return;
    this.#dispatching ??= this.#dispatchScheduled();
  }

  /**
   * Runs one pass at a time, so the free slots are counted correctly. Guilds that are scheduled in the meantime are
   * handled too.
   */
  async #dispatchScheduled(): Promise<void> {
    while (this.#isPollDue || this.#scheduled.size > 0) {
      // Attempts that end in one tick make room for one claim, which is stored together with their results.
      await endOfTick();
      const guildIds = this.#isPollDue ? null : [...this.#scheduled];
      this.#isPollDue = false;
      this.#scheduled.clear();
      try {
        await this.#dispatch(guildIds);
      } catch (error) {
        // The next pass tries again.
        this.#deps.logger.error({ err: error }, 'webhooks: the queue cannot be read');
      }
    }
    this.#forgetEndpoints();
    this.#dispatching = undefined;
  }

  async #dispatch(guildIds: readonly string[] | null): Promise<void> {
    const { store, clock } = this.#deps;
    while (!this.#isStopping && this.#slots.free > 0) {
      const now = clock();
      const due = await store.webhooks.findDue({ ...this.#slots.capacity(now), now, guildIds });
      const chosen = this.#slots.choose(due, now);
      if (chosen.length === 0 || !(await this.#claim(chosen, now))) return;
    }
  }

  /**
   * Claims one delivery of each endpoint and starts the attempts. Their slots are taken before, because a test could use
   * them while the claim is stored. Returns false if there was nothing to claim.
   */
  async #claim(endpoints: readonly DueEndpoint[], now: Instant): Promise<boolean> {
    const taken = new Map(
      endpoints.map(({ endpointId }) => [endpointId, this.#slots.take(endpointId, now, false)]),
    );
    try {
      const claimed = await this.#deps.store.webhooks.claim(endpoints, { now, until: now + CLAIM_MS });
      for (const delivery of claimed) {
        const slot = taken.get(delivery.endpointId);
        taken.delete(delivery.endpointId);
        if (slot) this.#startAttempt(delivery, slot);
      }
      return claimed.length > 0;
    } finally {
      for (const unused of taken.values()) this.#slots.release(unused, now);
    }
  }

  #startAttempt(delivery: ClaimedDelivery, started: Attempt): void {
    const { endpointId, guildId, endpoint } = delivery;
    const { clock } = this.#deps;
    if (endpoint.failingSince !== null) this.#slots.recordFailing(endpointId, clock());
    let isOver = false;
    const end = (isUnhealthy: boolean) => {
      if (isOver) return;
      isOver = true;
      const wasAwaited = this.#slots.isAwaited(started, clock());
      this.#slots.release(started, clock(), isUnhealthy);
      if (wasAwaited) this.#scheduleAll();
      else this.#schedule(guildId);
    };
    const work = this.#attempt(delivery, end).finally(() => this.#inProgress.delete(work));
    this.#inProgress.add(work);
  }

  /**
   * Calls `end` with whether the endpoint is slow or failing. A delivered event makes room for the next one before this is
   * stored, so both are stored together; any other result may change what is sent next, and is stored first.
   */
  async #attempt(delivery: ClaimedDelivery, end: (isUnhealthy: boolean) => void): Promise<void> {
    const onDelivered = (attempt: AttemptResult) => end(isUnhealthy(attempt));
    try {
      const options = { stop: this.#abort.signal, onDelivered };
      end(isUnhealthy(await attemptDelivery(this.#deps, delivery, options)));
    } catch (error) {
      // The claim expires, and the delivery is retried.
      this.#deps.logger.error(
        { err: error, eventId: delivery.eventId },
        'webhooks: an attempt was not recorded',
      );
      end(true);
    }
  }

  #forgetEndpoints(): void {
    const now = this.#deps.clock();
    if (now < this.#forgetAt) return;
    this.#slots.forget(now);
    this.#forgetAt = now + FORGET_EVERY_MS;
  }
}

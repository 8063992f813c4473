/**
 * Sends what is due. Any number of workers share a PostgreSQL database; a SQLite file has one.
 *
 *   const worker = new WebhookWorker({ store, clock, random, sealKey, send, slots, logger });
 *   worker.start();
 *   worker.poke(guildId);   // something was queued for this guild just now
 *   await worker.stop();
 */
import { HOUR_MS, type Instant, SECOND_MS } from '../domain/clock.ts';
import { CLAIM_MS } from '../domain/webhooks/delivery.ts';
import { createRetention, type RetainedStore } from '../store/retention.ts';
import type { ClaimedDelivery } from '../store/webhooks/store.ts';
import { type AttemptDeps, attemptDelivery } from './attempt.ts';
import { isTroubled, type Slots } from './slots.ts';

/** What is logged, as pino takes it. */
export type WorkerLog = { error(details: object, message: string): void };

type WorkerDeps = AttemptDeps & { store: RetainedStore; logger: WorkerLog; slots: Slots };

const POLL_MS = SECOND_MS;

/** Few at a time: what is learnt of an endpoint by its first try then counts for the next claim. */
const CLAIM_BATCH = 8;

const STOP_DEADLINE_MS = 10 * SECOND_MS;

const FORGET_EVERY_MS = HOUR_MS;

const ALL_GUILDS = null;

export class WebhookWorker {
  readonly #deps: WorkerDeps;
  readonly #slots: Slots;
  readonly #underWay = new Set<Promise<void>>();
  readonly #wanted = new Set<string | null>();
  readonly #retain: (now: Instant) => Promise<void>;
  readonly #abort = new AbortController();
  #filling: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #forgetAt: Instant = 0;
  #isStopping = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#slots = deps.slots;
    this.#retain = createRetention(deps.store);
  }

  /** Looks for work now and every second: retries fall due, and other processes queue things too. */
  start(): void {
    this.#poll ??= setInterval(() => this.#want(ALL_GUILDS), POLL_MS);
    this.#want(ALL_GUILDS);
  }

  /** Sends at once what was queued for a guild, without waiting for the next look. */
  poke(guildId: string): void {
    this.#want(guildId);
  }

  /** Sends all that is due and resolves when nothing is under way any more. */
  async runDue(): Promise<void> {
    this.#want(ALL_GUILDS);
    await this.#settle();
  }

  /** Starts nothing more, waits for what is under way, and at the deadline gives back what has no answer yet. */
  async stop(deadlineMs: number = STOP_DEADLINE_MS): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    const deadline = setTimeout(() => this.#abort.abort(), deadlineMs);
    await this.#settle();
    clearTimeout(deadline);
  }

  async #settle(): Promise<void> {
    while (this.#filling || this.#underWay.size > 0) {
      await this.#filling;
      await Promise.all(this.#underWay);
    }
  }

  #want(guildId: string | null): void {
    if (this.#isStopping) return;
    this.#wanted.add(guildId);
    this.#filling ??= this.#fillWanted().finally(() => {
      this.#filling = undefined;
      // Wanted after the last look at the queue.
      const [next = ALL_GUILDS] = this.#wanted;
      if (this.#wanted.size > 0) this.#want(next);
    });
  }

  /** One after the other, so that the free slots are counted right. What is wanted meanwhile is visited too. */
  async #fillWanted(): Promise<void> {
    try {
      for (const guildId of this.#wanted) {
        this.#wanted.delete(guildId);
        await this.#fill(guildId);
      }
      await this.#tidy();
    } catch (error) {
      // The next look tries again.
      this.#deps.logger.error({ err: error }, 'webhooks: the queue cannot be read');
    }
  }

  async #fill(guildId: string | null): Promise<void> {
    const { store, clock } = this.#deps;
    while (!this.#isStopping && this.#slots.free > 0) {
      const now = clock();
      const room = this.#slots.room(now);
      const limit = Math.min(room.limit, CLAIM_BATCH);
      const claimed = await store.webhooks.claim({ ...room, now, until: now + CLAIM_MS, guildId, limit });
      if (claimed.length === 0) return;
      for (const delivery of claimed) this.#begin(delivery);
    }
  }

  #begin(delivery: ClaimedDelivery): void {
    const { endpointId, guildId, endpoint } = delivery;
    const { clock } = this.#deps;
    const started = this.#slots.take(endpointId, clock(), endpoint.failingSince !== null);
    const work = this.#attempt(delivery).then((isTroubled) => {
      const wasAwaited = this.#slots.isAwaited(started, clock());
      this.#slots.giveBack(started, clock(), isTroubled);
      this.#underWay.delete(work);
      this.#want(wasAwaited ? ALL_GUILDS : guildId);
    });
    this.#underWay.add(work);
  }

  /** Whether the endpoint is slow or failing. */
  async #attempt(delivery: ClaimedDelivery): Promise<boolean> {
    try {
      return isTroubled(await attemptDelivery(this.#deps, delivery, this.#abort.signal));
    } catch (error) {
      // The claim ends by itself, and the delivery is tried again.
      this.#deps.logger.error({ err: error, eventId: delivery.eventId }, 'webhooks: a try was not recorded');
      return true;
    }
  }

  /** The worker looks at the queue all the time anyway: what is no longer kept needs no timer of its own. */
  async #tidy(): Promise<void> {
    const now = this.#deps.clock();
    await this.#retain(now);
    if (now < this.#forgetAt) return;
    this.#slots.forget(now);
    this.#forgetAt = now + FORGET_EVERY_MS;
  }
}

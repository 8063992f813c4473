import { DAY_MS, type Instant, SECOND_MS } from '../domain/clock.ts';
import { consequenceOf, isDelivered } from '../domain/webhooks/delivery.ts';
import type { AttemptResult } from '../store/webhooks/store.ts';

/** The maximum number of concurrent attempts. */
export type Limits = {
  total: number;
  perEndpoint: number;
  /** Shared by endpoints without a recent fast response; the other slots are reserved for fast endpoints. */
  unproven: number;
  /** How many of these slow or failing endpoints can use; the others are reserved for new endpoints. */
  unhealthy: number;
};

export const DEFAULT_LIMITS: Limits = { total: 64, perEndpoint: 4, unproven: 32, unhealthy: 16 };

/** An endpoint that takes longer than this counts as slow. */
export const SLOW_MS = 2 * SECOND_MS;

/** How long the last result of an endpoint counts. This also removes endpoints that no longer exist. */
const REMEMBER_MS = DAY_MS;

type Health = 'fast' | 'unhealthy' | 'untested';

/** Whether an attempt shows that its endpoint is slow or failing. An attempt without a response is both. */
export function isUnhealthy(attempt: AttemptResult | undefined): boolean {
  if (!attempt || attempt.durationMs > SLOW_MS) return true;
  const consequence = consequenceOf(attempt.error);
  return !isDelivered(attempt) && consequence !== 'skip' && consequence !== 'postpone';
}

/** An attempt in progress. */
export type Attempt = { endpointId: string; startedAt: Instant };

/** The endpoints to consider now: at most `limit`, none of `except`, and only those of `only` if given. */
type Capacity = { limit: number; except: string[]; only?: string[] };

/**
 * Tracks attempts in progress, so that neither one endpoint nor all slow ones together can block the others.
 */
export class Slots {
  readonly #limits: Limits;
  readonly #inProgress = new Set<Attempt>();
  readonly #known = new Map<string, { health: Health; at: Instant }>();
  readonly #heldUntil = new Map<string, Instant>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get inProgress(): number {
    return this.#inProgress.size;
  }

  get free(): number {
    return this.#limits.total - this.#inProgress.size;
  }

  take(endpointId: string, now: Instant, isFailing: boolean): Attempt {
    if (isFailing) this.recordFailing(endpointId, now);
    const started = { endpointId, startedAt: now };
    this.#inProgress.add(started);
    return started;
  }

  /** For an attempt that has a slot already, once its endpoint was read. */
  recordFailing(endpointId: string, now: Instant): void {
    this.#record(endpointId, 'unhealthy', now);
  }

  /**
   * Takes a slot for an attempt whose result a user waits for, if one is free for this kind of endpoint. The caller
   * limits the attempts per endpoint, so a test can run while the queue is busy with the same endpoint.
   */
  takeIfFree(endpointId: string, now: Instant, isFailing: boolean): Attempt | undefined {
    const health = isFailing ? 'unhealthy' : this.#health(endpointId, now);
    if (this.free <= 0) return undefined;
    if (health !== 'fast' && this.#isUnprovenFull(now)) return undefined;
    if (health === 'unhealthy' && this.#isUnhealthyFull(now)) return undefined;
    return this.take(endpointId, now, isFailing);
  }

  /** Without `isUnhealthy`, nothing was sent and the state of the endpoint does not change. */
  release(ended: Attempt, now: Instant, isUnhealthy?: boolean): void {
    this.#inProgress.delete(ended);
    if (isUnhealthy !== undefined) this.#record(ended.endpointId, isUnhealthy ? 'unhealthy' : 'fast', now);
  }

  /** Nothing is started for an endpoint until then, because its receiver asked for a pause. Tests are not affected. */
  hold(endpointId: string, until: Instant): void {
    this.#heldUntil.set(endpointId, until);
  }

  capacity(now: Instant): Capacity {
    const { unproven, unhealthy } = this.#left(now);
    const except = [...this.#full(), ...this.#held(now)];
    const limit = this.free;
    if (unproven <= 0) return { limit, except, only: this.#all('fast', now) };
    if (unhealthy <= 0) return { limit, except: [...except, ...this.#all('unhealthy', now)] };
    return { limit, except };
  }

  /**
   * Those of the endpoints that may be sent to now, one attempt each. A new endpoint may turn out to be failing when its
   * row is read, so it also uses one of the slots for failing endpoints while some of these are free.
   */
  choose<T extends { endpointId: string }>(due: readonly T[], now: Instant): T[] {
    const left = this.#left(now);
    const isUnhealthyFull = left.unhealthy <= 0;
    const chosen = due.filter(({ endpointId }) => {
      const health = this.#health(endpointId, now);
      if (health === 'fast') return true;
      const needsUnhealthy = health === 'unhealthy' || !isUnhealthyFull;
      if (left.unproven <= 0 || (needsUnhealthy && left.unhealthy <= 0)) return false;
      left.unproven -= 1;
      left.unhealthy -= 1;
      return true;
    });
    return chosen.slice(0, Math.max(this.free, 0));
  }

  /** Whether other deliveries may be waiting for the slot of this attempt. */
  isAwaited({ endpointId }: Attempt, now: Instant): boolean {
    if (this.free <= 0) return true;
    if (this.#health(endpointId, now) === 'fast') return false;
    return this.#isUnprovenFull(now) || this.#isUnhealthyFull(now);
  }

  /** Removes endpoints that were not used for a while. */
  forget(now: Instant): void {
    for (const [endpointId, { at }] of this.#known) {
      if (now - at > REMEMBER_MS) this.#known.delete(endpointId);
    }
  }

  #held(now: Instant): string[] {
    for (const [endpointId, until] of this.#heldUntil) {
      if (until <= now) this.#heldUntil.delete(endpointId);
    }
    return [...this.#heldUntil.keys()];
  }

  #record(endpointId: string, health: Health, at: Instant): void {
    this.#known.set(endpointId, { health, at });
  }

  /** A fast response does not count while another attempt is still hanging. */
  #health(endpointId: string, now: Instant): Health {
    for (const { endpointId: other, startedAt } of this.#inProgress) {
      if (other === endpointId && now - startedAt > SLOW_MS) return 'unhealthy';
    }
    return this.#known.get(endpointId)?.health ?? 'untested';
  }

  #isUnprovenFull(now: Instant): boolean {
    return this.#left(now).unproven <= 0;
  }

  #isUnhealthyFull(now: Instant): boolean {
    return this.#left(now).unhealthy <= 0;
  }

  /** The free slots of each kind. */
  #left(now: Instant): { unproven: number; unhealthy: number } {
    let { unproven, unhealthy } = this.#limits;
    for (const { endpointId } of this.#inProgress) {
      const health = this.#health(endpointId, now);
      if (health !== 'fast') unproven -= 1;
      if (health === 'unhealthy') unhealthy -= 1;
    }
    return { unproven, unhealthy };
  }

  #all(health: Health, now: Instant): string[] {
    const known = new Set([...this.#known.keys(), ...[...this.#inProgress].map((one) => one.endpointId)]);
    return [...known].filter((endpointId) => this.#health(endpointId, now) === health);
  }

  /**
   * An unknown endpoint gets one attempt at a time, and so does every endpoint once half of the slots are
   * taken.
   */
  #full(): string[] {
    const hasSpareSlots = this.#inProgress.size < this.#limits.total / 2;
    const byEndpoint = Map.groupBy(this.#inProgress, ({ endpointId }) => endpointId);
    const full = [...byEndpoint].filter(([endpointId, tries]) => {
      return tries.length >= (hasSpareSlots && this.#known.has(endpointId) ? this.#limits.perEndpoint : 1);
    });
    return full.map(([endpointId]) => endpointId);
  }
}

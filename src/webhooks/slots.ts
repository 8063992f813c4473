import { DAY_MS, type Instant, SECOND_MS } from '../domain/clock.ts';
import { isSuccess } from '../domain/webhooks/delivery.ts';
import type { AttemptResult } from '../store/webhooks/store.ts';

/** How many tries are under way at once. */
export type Limits = {
  total: number;
  perEndpoint: number;
  /** Endpoints that have not answered fast lately share these, and leave the rest to those that have. */
  unproven: number;
  /** Of those, endpoints that are slow or failing get no more than these, and leave the rest to new ones. */
  troubled: number;
};

export const DEFAULT_LIMITS: Limits = { total: 64, perEndpoint: 4, unproven: 32, troubled: 16 };

/** An endpoint that takes longer than this to answer is not waited for beside the fast ones. */
export const SLOW_MS = 2 * SECOND_MS;

/** What was learnt of an endpoint counts for so long; thereby one that is gone is forgotten too. */
const REMEMBER_MS = DAY_MS;

type Standing = 'fast' | 'troubled' | 'untested';

/** Whether a try shows that its endpoint is slow or failing. Without an answer it counts as both. */
export function isTroubled(attempt: AttemptResult | undefined): boolean {
  return !attempt || !isSuccess(attempt.status) || attempt.durationMs > SLOW_MS;
}

/** A try under way. */
export type Try = { endpointId: string; startedAt: Instant };

/** What may be started now: so many, to none of `except`, and when `only` is there to none but those. */
type Room = { limit: number; except: string[]; only?: string[] };

/** Who is under way, so that no endpoint, and not all the slow ones together, can hold up the others. */
export class Slots {
  readonly #limits: Limits;
  readonly #underWay = new Set<Try>();
  readonly #learnt = new Map<string, { standing: Standing; at: Instant }>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get free(): number {
    return this.#limits.total - this.#underWay.size;
  }

  take(endpointId: string, now: Instant, isFailing: boolean): Try {
    if (isFailing) this.#learn(endpointId, 'troubled', now);
    const started = { endpointId, startedAt: now };
    this.#underWay.add(started);
    return started;
  }

  /**
   * For a try that somebody waits for: a slot when one is free for endpoints of this standing. How many tries of the
   * endpoint are under way is left to the caller, so that a test can be sent while the queue is busy with it.
   */
  takeIfFree(endpointId: string, now: Instant, isFailing: boolean): Try | undefined {
    const standing = isFailing ? 'troubled' : this.#standing(endpointId, now);
    if (this.free <= 0) return undefined;
    if (standing !== 'fast' && this.#isUnprovenFull(now)) return undefined;
    if (standing === 'troubled' && this.#isTroubledFull(now)) return undefined;
    return this.take(endpointId, now, isFailing);
  }

  /** Without `isTroubled`, nothing was sent and nothing is learnt of the endpoint. */
  giveBack(ended: Try, now: Instant, isTroubled?: boolean): void {
    this.#underWay.delete(ended);
    if (isTroubled !== undefined) this.#learn(ended.endpointId, isTroubled ? 'troubled' : 'fast', now);
  }

  room(now: Instant): Room {
    const unproven = this.#limits.unproven - this.#count(now, ['untested', 'troubled']);
    const troubled = this.#limits.troubled - this.#count(now, ['troubled']);
    const except = this.#full();
    if (unproven <= 0) return { limit: this.free, except, only: this.#all('fast', now) };
    if (troubled <= 0) {
      return { limit: Math.min(this.free, unproven), except: [...except, ...this.#all('troubled', now)] };
    }
    return { limit: Math.min(this.free, unproven, troubled), except };
  }

  /** Whether others may be waiting for the very slot that this try has. */
  isAwaited({ endpointId }: Try, now: Instant): boolean {
    if (this.free <= 0) return true;
    if (this.#standing(endpointId, now) === 'fast') return false;
    return this.#isUnprovenFull(now) || this.#isTroubledFull(now);
  }

  /** Forgets endpoints that nothing was sent to for long. */
  forget(now: Instant): void {
    for (const [endpointId, { at }] of this.#learnt) {
      if (now - at > REMEMBER_MS) this.#learnt.delete(endpointId);
    }
  }

  #learn(endpointId: string, standing: Standing, at: Instant): void {
    this.#learnt.set(endpointId, { standing, at });
  }

  /** A fast answer says nothing while another try still hangs. */
  #standing(endpointId: string, now: Instant): Standing {
    for (const { endpointId: other, startedAt } of this.#underWay) {
      if (other === endpointId && now - startedAt > SLOW_MS) return 'troubled';
    }
    return this.#learnt.get(endpointId)?.standing ?? 'untested';
  }

  #isUnprovenFull(now: Instant): boolean {
    return this.#count(now, ['untested', 'troubled']) >= this.#limits.unproven;
  }

  #isTroubledFull(now: Instant): boolean {
    return this.#count(now, ['troubled']) >= this.#limits.troubled;
  }

  #count(now: Instant, standings: readonly Standing[]): number {
    const counted = [...this.#underWay].filter(({ endpointId }) =>
      standings.includes(this.#standing(endpointId, now)),
    );
    return counted.length;
  }

  #all(standing: Standing, now: Instant): string[] {
    const known = new Set([...this.#learnt.keys(), ...[...this.#underWay].map((one) => one.endpointId)]);
    return [...known].filter((endpointId) => this.#standing(endpointId, now) === standing);
  }

  /** One that nothing is known of has one try at a time, and so has everybody once half of the slots are taken. */
  #full(): string[] {
    const isRoomy = this.#underWay.size < this.#limits.total / 2;
    const byEndpoint = Map.groupBy(this.#underWay, ({ endpointId }) => endpointId);
    const full = [...byEndpoint].filter(([endpointId, tries]) => {
      return tries.length >= (isRoomy && this.#learnt.has(endpointId) ? this.#limits.perEndpoint : 1);
    });
    return full.map(([endpointId]) => endpointId);
  }
}

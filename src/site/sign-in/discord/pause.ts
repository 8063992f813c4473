/**
 * Pauses requests to Discord after a 429 for the time it names: further requests would extend the block, and any
 * visitor can cause them.
 */
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../../../domain/clock.ts';
import { isRecord } from '../../../domain/text.ts';
import { PageError } from '../../errors/page-error.ts';

/** Bounds of the pause; the minimum also applies to responses without a time. */
export type PauseBounds = { minMs: number; maxMs: number };

const RATE_LIMITED_STATUS = 429;
const PAUSE_BOUNDS: PauseBounds = { minMs: 5 * SECOND_MS, maxMs: MINUTE_MS };

export class DiscordPause {
  readonly #clock: Clock;
  readonly #bounds: PauseBounds;
  readonly #byToken = new Map<string, Instant>();
  #until: Instant = 0;

  constructor(clock: Clock, bounds: PauseBounds = PAUSE_BOUNDS) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Throws an error page with the waiting time while requests are paused, in general or for this token. */
  check(token?: string): void {
    const until = Math.max(this.#until, (token !== undefined && this.#byToken.get(token)) || 0);
    const waitMs = until - this.#clock();
    if (waitMs <= 0) return;
    throw new PageError('SIGN_IN_PAUSED', { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) });
  }

  /**
   * Starts a pause and throws its page if the response is a 429. A limit on one user (scope "user") only pauses that
   * token, so that no user can disable sign-in for everyone.
   */
  async apply(response: Response, token?: string): Promise<void> {
    if (response.status !== RATE_LIMITED_STATUS) return;
    const until = this.#clock() + (await this.#readWaitMs(response));
    if (token !== undefined && response.headers.get('x-ratelimit-scope') === 'user') this.#keep(token, until);
    else this.#until = Math.max(this.#until, until);
    this.check(token);
  }

  async #readWaitMs(response: Response): Promise<number> {
    const { minMs, maxMs } = this.#bounds;
    const seconds = Number(response.headers.get('retry-after') ?? (await retryAfterOf(response)));
    return Math.min(maxMs, Math.max(minMs, Math.ceil(seconds * SECOND_MS) || 0));
  }

  #keep(token: string, until: Instant): void {
    const now = this.#clock();
    for (const [known, end] of this.#byToken) if (end <= now) this.#byToken.delete(known);
    this.#byToken.set(token, until);
  }
}

/** Discord repeats it in the body, with decimals. A proxy in front of Discord may return anything. */
async function retryAfterOf(response: Response): Promise<unknown> {
  const body: unknown = await response.json().catch(() => null);
  return isRecord(body) ? body.retry_after : undefined;
}

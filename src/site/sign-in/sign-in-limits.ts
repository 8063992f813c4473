/**
 * Limits requests to `/sign-in*` per network. Counted in the store, so all processes share them.
 *
 *   const limiter = signInLimiter({ rates: store.rates, clock });
 *   app.addHook('onRequest', limiter.countRequest);
 *   const grant = await limiter.redeem(request, () => oauth.redeem(…));
 */
import type { FastifyRequest } from 'fastify';
import { callerNetwork } from '../../domain/address.ts';
import { type Clock, MINUTE_MS } from '../../domain/clock.ts';
import { type RateLimit, type RateWindow, standingOf } from '../../domain/rate-window.ts';
import { WindowMap } from '../../store/shared/memory.ts';
import type { RateStore } from '../../store/store.ts';
import { PageError } from '../errors/page-error.ts';

export type SignInLimits = {
  /** Requests to any sign-in path. */
  requests: RateLimit;
  /** Codes that Discord rejected. Every made-up code costs a request to Discord. */
  failures: RateLimit;
};

export const SIGN_IN_LIMITS: SignInLimits = {
  requests: { requests: 300, windowMs: MINUTE_MS },
  failures: { requests: 30, windowMs: MINUTE_MS },
};

export type SignInLimiter = {
  /** Throws an error page with the waiting time once the network has exceeded its limit. */
  countRequest(request: FastifyRequest): Promise<void>;
  /** Runs the work unless too many attempts of this network have failed. */
  redeem<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>;
};

type LimiterDeps = { rates: RateStore; clock: Clock; limits?: SignInLimits | undefined };

export function signInLimiter({ rates, clock, limits = SIGN_IN_LIMITS }: LimiterDeps): SignInLimiter {
  const failures = new WindowMap();
  const inProgress = new Map<string, number>();

  function refuse(window: RateWindow, limit: RateLimit): never {
    const { resetSeconds } = standingOf(window, limit, clock());
    throw new PageError('TOO_MANY_SIGN_INS', { retryAfterSeconds: resetSeconds });
  }

  /** Work in progress counts as failed until it succeeds; otherwise a burst would pass before the first result. */
  function admit(network: string): void {
    const now = clock();
    const window = failures.get(network, now) ?? { hits: 0, resetsAt: now };
    const begun = inProgress.get(network) ?? 0;
    if (window.hits + begun >= limits.failures.requests) refuse(window, limits.failures);
    inProgress.set(network, begun + 1);
  }

  function leave(network: string): void {
    const rest = (inProgress.get(network) ?? 0) - 1;
    if (rest > 0) inProgress.set(network, rest);
    else inProgress.delete(network);
  }

  return {
    async countRequest({ ip }) {
      const window = await rates.hit(`sign-in:${callerNetwork(ip)}`, limits.requests, clock());
      if (window.hits > limits.requests.requests) refuse(window, limits.requests);
    },
    async redeem({ ip }, work) {
      const network = callerNetwork(ip);
      admit(network);
      try {
        return await work();
      } catch (error) {
        const window = await rates.hit(`sign-in-failure:${network}`, limits.failures, clock());
        failures.set(network, window, clock());
        throw error;
      } finally {
        leave(network);
      }
    },
  };
}

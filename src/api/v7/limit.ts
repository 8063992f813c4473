import type { FastifyReply } from 'fastify';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { type RateLimit, type RateWindow, standingOf } from '../../domain/rate-window.ts';
import type { MaybePromise, RateStore } from '../../store/store.ts';
import type { Caller } from './caller.ts';

/** Counts the request for its caller, tells it where it stands, and refuses it past the limit. */
export function limit(rates: RateStore, rateLimit: RateLimit, clock: Clock) {
  const policy = `"default";q=${rateLimit.requests};w=${rateLimit.windowMs / SECOND_MS}`;

  function tell(window: RateWindow, reply: FastifyReply): void {
    const { remaining, resetSeconds, isExceeded } = standingOf(window, rateLimit, clock());
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (isExceeded) throw new ApiError('RATE_LIMITED', { retry_after: resetSeconds });
  }

  return (caller: Caller, reply: FastifyReply): MaybePromise<void> => {
    const window = caller.counted ?? rates.hit(caller.rateIdentity, rateLimit, clock());
    if (window instanceof Promise) return window.then((counted) => tell(counted, reply));
    tell(window, reply);
  };
}

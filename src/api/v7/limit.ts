import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { type RateLimit, standingOf } from '../../domain/rate-window.ts';
import type { RateStore } from '../../store/store.ts';
import { callerOf } from './identify.ts';

/** Counts the request for its caller, tells it where it stands, and refuses it past the limit. */
export function limit(rates: RateStore, rateLimit: RateLimit, clock: Clock) {
  const policy = `"default";q=${rateLimit.requests};w=${rateLimit.windowMs / SECOND_MS}`;

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const now = clock();
    const { rateIdentity } = callerOf(request);
    const standing = standingOf(await rates.hit(rateIdentity, rateLimit, now), rateLimit, now);
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"default";r=${standing.remaining};t=${standing.resetSeconds}`);
    if (standing.isExceeded) throw new ApiError('RATE_LIMITED', { retry_after: standing.resetSeconds });
  };
}

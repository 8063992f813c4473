import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { type Guild, hasPremium } from '../../domain/guild.ts';
import { callerOf } from './identify.ts';

/** The guild whose key the request carries, or the error that says what is wrong with the key. */
export function callerGuild(request: FastifyRequest): Guild {
  const caller = callerOf(request);
  if (caller.kind === 'guild') return caller.guild;
  if (caller.kind === 'refused') throw new ApiError(caller.code);
  throw new Error('the key could not be looked up', { cause: caller.cause });
}

export async function requireKey(request: FastifyRequest): Promise<void> {
  callerGuild(request);
}

export function requirePremium(clock: Clock) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!hasPremium(callerGuild(request), clock())) throw new ApiError('PREMIUM_REQUIRED');
  };
}

import type { HookHandlerDoneFunction as Done, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { type Guild, hasPremium } from '../../domain/guild.ts';
import { callerOf } from './caller.ts';

/** The guild whose key the request carries, or the error that says what is wrong with the key. */
export function callerGuild(request: FastifyRequest): Guild {
  const caller = callerOf(request);
  if (caller.kind === 'guild') return caller.guild;
  if (caller.kind === 'refused') throw new ApiError(caller.code);
  throw new Error('the key could not be looked up', { cause: caller.cause });
}

export function requireKey(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  callerGuild(request);
  done();
}

export function requirePremium(clock: Clock) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    if (!hasPremium(callerGuild(request), clock())) throw new ApiError('PREMIUM_REQUIRED');
    done();
  };
}

import { METHODS } from 'node:http';
import type { HookHandlerDoneFunction as Done, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { type Guild, hasPremium } from '../../domain/guild.ts';
import { type RateLimit, type RateWindow, standingOf } from '../../domain/rate-window.ts';
import type { Caller } from './identify.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** Sends the rate limit headers, and rejects the request above the limit. */
export function createLimit(rateLimit: RateLimit, clock: Clock) {
  const policy = `"default";q=${rateLimit.requests};w=${rateLimit.windowMs / SECOND_MS}`;
  return (window: RateWindow, reply: FastifyReply): void => {
    const { remaining, resetSeconds, isExceeded } = standingOf(window, rateLimit, clock());
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (isExceeded) throw new ApiError('RATE_LIMITED', { retry_after: resetSeconds });
  };
}

/** The guild of the key, and the vote found for the request. Throws the error of an invalid key. */
export function knownCaller(request: FastifyRequest): Extract<Caller, { kind: 'guild' }> {
  const { caller } = request;
  if (caller === null) throw new Error('the caller of this request was not identified');
  if (caller.kind === 'guild') return caller;
  if (caller.kind === 'refused') throw new ApiError(caller.code);
  throw new Error('the key could not be looked up', { cause: caller.cause });
}

export function callerGuild(request: FastifyRequest): Guild {
  return knownCaller(request).guild;
}

export function requireKey(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  knownCaller(request);
  done();
}

export function requirePremium(clock: Clock) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    if (!hasPremium(callerGuild(request), clock())) throw new ApiError('PREMIUM_REQUIRED');
    done();
  };
}

/** CONNECT never reaches a route: http/client-errors.ts handles it. */
const ROUTABLE = METHODS.filter((method) => method !== 'CONNECT');

/** Must run once, before any route: Fastify knows only the common methods by default. */
export function knowAllMethods(app: FastifyInstance): void {
  for (const method of ROUTABLE) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
}

/** Responds to any other method on a known path with 405, before the body is read. */
export function refuseOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  app.route({
    method: ROUTABLE.filter((method) => !allowed.includes(method)),
    url: path,
    schema: { hide: true },
    onRequest: async (_request, reply) => {
      reply.header('allow', allowed.join(', '));
      throw new ApiError('METHOD_NOT_ALLOWED');
    },
    handler: () => undefined,
  });
}

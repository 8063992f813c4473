import type { FastifyRequest } from 'fastify';
import type { RecentVote } from '../../domain/cooldown.ts';
import type { Guild } from '../../domain/guild.ts';
import type { RateWindow } from '../../domain/rate-window.ts';

/** Who is asking. Identifying never throws, so that every request is counted before it is refused. */
export type Caller = (
  | { kind: 'guild'; guild: Guild }
  | { kind: 'refused'; code: 'API_NOT_SET' | 'INVALID_API_TOKEN' }
  | { kind: 'unknown'; cause: unknown }
) & {
  rateIdentity: string;
  /** Where the store answered all at once: the request is counted already, and the vote it asks for is looked up. */
  counted?: RateWindow;
  latest?: { vote: RecentVote | undefined };
};

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** The caller that `identify`, the first of the steps, has found. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('nobody has identified the caller of this request');
  return request.caller;
}

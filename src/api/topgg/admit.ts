/** What every request in the format of top.gg passes: the same identification, counter and limit as in v7. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requestLocale } from '../request-locale.ts';
import { callerGuild, createIdentify, createLimit, type FindVoteQuery, requireKey } from '../v7/access.ts';
import type { V7Deps } from '../v7/endpoint.ts';

/** `keyOf`: the key of a request, or the empty text. */
export type TopggAccess = { keyOf(request: FastifyRequest): string; findVoteQuery: FindVoteQuery };

/** Counts every request to the routes of this instance, unknown ones too. */
export function admitRequests(app: FastifyInstance, deps: V7Deps, access: TopggAccess): void {
  const identify = createIdentify(deps, access.findVoteQuery);
  const limit = createLimit(deps.rateLimit, deps.clock);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    reply.header('content-language', requestLocale(request));
    request.caller = await identify(request, access.keyOf(request));
    limit(request.caller, reply);
  });
}

/** For routes that need a key: all but unknown ones. */
export function requireKeys(app: FastifyInstance, { recordFirstRequest }: V7Deps): void {
  app.addHook('preValidation', requireKey);
  app.addHook('preValidation', (request, _reply, done) => {
    recordFirstRequest(callerGuild(request).guildId);
    done();
  });
}

/**
 * The v7 contract, in the order a request meets it:
 *
 *   describe (language, caching) -> identify (whose key? counted) -> limit (refused over the limit)
 *     -> require (key, then Premium) -> validate (parameters) -> handle
 *
 * Errors are thrown by code name and become answers in ../error-handler.ts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NOT_FOUND_STATUS } from '../errors.ts';
import { collectRoutes, OPENAPI_PATH, openApiRoute } from '../openapi/index.ts';
import { requestLocale } from '../request.ts';
import { typed, type V7Deps } from './deps.ts';
import { createLimit, refuseOtherMethods, requireKey } from './guard.ts';
import { createIdentify, presentedKey } from './identify.ts';
import { compileValidator } from './validate.ts';
import { VOTE_CHECK_PATHS, voteCheckRoutes } from './vote-check.ts';
import { GUILD_VOTES_PATH, guildVotesRoute, USER_VOTES_PATH, userVotesRoute } from './vote-list.ts';

export type { V7Deps };

/** `api_token` in the address is older than v7 itself; its answers say so (RFC 9745). */
const API_TOKEN_DEPRECATED_SINCE = '@1767225600';
const API_TOKEN_LINK = '</docs#authentication>; rel="deprecation"; type="text/html"';

const PATHS = [...VOTE_CHECK_PATHS, GUILD_VOTES_PATH, USER_VOTES_PATH, OPENAPI_PATH];

export async function v7(app: FastifyInstance, deps: V7Deps): Promise<void> {
  app.decorateRequest('caller', null);
  app.addHook('onRequest', createAdmitHook(deps));

  await collectRoutes(app, deps);

  // Outside the guarded routes: an unknown address is counted, but needs no key to be unknown.
  app.setNotFoundHandler(answerNotFound);
  openApiRoute(app);
  for (const path of PATHS) refuseOtherMethods(app, path);

  app.register(async (guarded) => {
    guarded.addHook('preValidation', requireKey);
    guarded.setValidatorCompiler(compileValidator);
    const routes = typed(guarded);
    voteCheckRoutes(routes, deps);
    guildVotesRoute(routes, deps);
    userVotesRoute(routes, deps);
  });
}

function createAdmitHook(deps: V7Deps) {
  const identify = createIdentify(deps);
  const limit = createLimit(deps.rateLimit, deps.clock);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    describeAnswer(request, reply);
    request.caller = await identify(request, keyOf(request, reply));
    limit(request.caller.window, reply);
  };
}

function keyOf(request: FastifyRequest, reply: FastifyReply): string {
  const presented = presentedKey(request);
  if (presented?.source === 'api_token') {
    reply.header('deprecation', API_TOKEN_DEPRECATED_SINCE);
    reply.header('link', API_TOKEN_LINK);
  }
  return presented?.key ?? '';
}

function describeAnswer(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
  reply.header('content-language', requestLocale(request));
}

/** The contract never sends a 404 as an error body, so that it cannot be taken for one. */
export async function answerNotFound(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await reply.code(NOT_FOUND_STATUS).send();
}

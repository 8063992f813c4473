/**
 * The v7 contract, in the order a request passes it:
 *
 *   common headers (language, caching) -> identify (whose key? counted) -> limit (rejected above the limit)
 *     -> require (key, then Premium) -> validate (parameters) -> handle
 *
 * Errors are thrown by code and mapped to responses in ../errors/responses.ts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FeedWaiters } from '../../store/announce.ts';
import { handleNotFound, setCommonHeaders } from '../common-responses.ts';
import { refuseOtherMethods } from '../methods.ts';
import { collectRoutes, OPENAPI_PATH, openApiRoute } from '../openapi/document.ts';
import {
  callerGuild,
  countedCaller,
  createIdentify,
  createLimit,
  type FindVoteQuery,
  NO_VOTE,
  presentedKey,
  requireKey,
  voteOfCheck,
} from './access.ts';
import { claimable } from './claims/claimable.ts';
import { claims } from './claims/claims.ts';
import { pendingClaims } from './claims/pending-claims.ts';
import { releaseClaim } from './claims/release-claim.ts';
import { V7_API } from './documented-api.ts';
import { type Endpoint, type EndpointDeps, READ, typed, type V7Deps } from './endpoint.ts';
import { feed } from './feed.ts';
import { goal } from './goal.ts';
import { leaderboard } from './leaderboard.ts';
import { compileValidator } from './validator.ts';
import { voteCheck, voteCheckAlias } from './vote-check.ts';
import { voteChecks } from './vote-checks.ts';
import { guildVotes } from './votes/guild-votes.ts';
import { userVotes } from './votes/user-votes.ts';

/** For these the vote is looked up together with the key. */
const VOTE_CHECKS: Endpoint[] = [voteCheck, voteCheckAlias];

const OTHERS: Endpoint[] = [
  voteChecks,
  guildVotes,
  userVotes,
  claims,
  claimable,
  pendingClaims,
  releaseClaim,
  feed,
  leaderboard,
  goal,
];

const ENDPOINTS = [...VOTE_CHECKS, ...OTHERS];

export const V7_PREFIX = '/v7';
export const V7_PATHS = [...ENDPOINTS.map(({ path }) => path), OPENAPI_PATH];

/** The query parameter `api_token` is older than v7; its responses are marked as deprecated (RFC 9745). */
const API_TOKEN_DEPRECATED_SINCE = '@1767225600';
const API_TOKEN_LINK = '</docs#authentication>; rel="deprecation"; type="text/html"';

export async function v7(app: FastifyInstance, given: V7Deps): Promise<void> {
  const deps = { ...given, feedWaiters: given.feedWaiters ?? new FeedWaiters(given.store.feed) };
  app.decorateRequest('caller', null);
  // Requests that wait for a vote are completed before the server closes.
  app.addHook('preClose', (done) => {
    deps.feedWaiters.close();
    done();
  });
  const routes = collectRoutes(app);

  /** Endpoints that need a key. */
  const guard = (guarded: FastifyInstance, endpoints: readonly Endpoint[]): void => {
    guarded.addHook('preValidation', requireKey);
    guarded.addHook('preValidation', (request, _reply, done) => {
      deps.recordFirstRequest(callerGuild(request).guildId);
      done();
    });
    guarded.setValidatorCompiler(compileValidator);
    for (const endpoint of endpoints) endpoint.register(typed(guarded), deps);
  };

  app.register(async (counted) => {
    counted.addHook('onRequest', createAdmitHook(deps, NO_VOTE));
    // An unknown path is counted, but needs no key.
    counted.setNotFoundHandler(handleNotFound);
    openApiRoute(counted, routes, V7_API, deps);
    refuseOtherMethods(counted, OPENAPI_PATH, READ);
    for (const { path, methods } of ENDPOINTS) refuseOtherMethods(counted, path, methods);
  });
  app.register(async (checks) => {
    checks.addHook('onRequest', createAdmitHook(deps, voteOfCheck));
    guard(checks, VOTE_CHECKS);
  });
  app.register(async (others) => {
    others.addHook('onRequest', createAdmitHook(deps, NO_VOTE));
    guard(others, OTHERS);
  });
}

function createAdmitHook(deps: EndpointDeps, findVoteQuery: FindVoteQuery) {
  const identify = createIdentify(deps, findVoteQuery);
  const limit = createLimit(deps.rateLimit, deps.clock);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    setCommonHeaders(request, reply);
    request.caller = countedCaller(request.raw) ?? (await identify(request, keyOf(request, reply)));
    limit(request.caller, reply);
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

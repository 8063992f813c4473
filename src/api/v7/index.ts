/**
 * The v7 contract, in the order a request passes it:
 *
 *   common headers (language, caching) -> identify (whose key? counted) -> limit (rejected above the limit)
 *     -> require (key, then Premium) -> validate (parameters) -> handle
 *
 * Errors are thrown by code and mapped to responses in ../errors.ts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../domain/clock.ts';
import { FeedWaiters } from '../../store/announce.ts';
import { NOT_FOUND_STATUS, requestLocale } from '../errors.ts';
import { collectRoutes, OPENAPI_PATH, openApiRoute } from '../openapi/document.ts';
import {
  callerGuild,
  createIdentify,
  createLimit,
  presentedKey,
  refuseOtherMethods,
  requireKey,
  typed,
  type V7Deps,
} from './access.ts';
import { CLAIM_PATH, CLAIMABLE_PATH, CLAIMS_PATH, claimRoutes, PENDING_CLAIMS_PATH } from './claims.ts';
import { FEED_PATH, feedRoute } from './feed.ts';
import {
  GUILD_VOTES_PATH,
  guildVotesRoute,
  LEADERBOARD_PATH,
  leaderboardRoute,
  USER_VOTES_PATH,
  userVotesRoute,
} from './lists.ts';
import { compileValidator } from './parameters.ts';
import { VOTE_CHECK_PATHS, VOTE_CHECKS_PATH, voteCheckRoutes, voteChecksRoute } from './vote-check.ts';

export type { V7Deps };

/** The query parameter `api_token` is older than v7; its responses are marked as deprecated (RFC 9745). */
const API_TOKEN_DEPRECATED_SINCE = '@1767225600';
const API_TOKEN_LINK = '</docs#authentication>; rel="deprecation"; type="text/html"';

const READ = ['GET', 'HEAD'];

/** Every path and its methods; any other method gets 405. */
const PATHS: Record<string, readonly string[]> = {
  ...Object.fromEntries(VOTE_CHECK_PATHS.map((path) => [path, READ])),
  [VOTE_CHECKS_PATH]: READ,
  [GUILD_VOTES_PATH]: READ,
  [USER_VOTES_PATH]: READ,
  [CLAIMS_PATH]: [...READ, 'POST'],
  [CLAIMABLE_PATH]: READ,
  [PENDING_CLAIMS_PATH]: READ,
  [CLAIM_PATH]: ['DELETE'],
  [FEED_PATH]: READ,
  [LEADERBOARD_PATH]: READ,
  [OPENAPI_PATH]: READ,
};

export const V7_PREFIX = '/v7';
export const V7_PATHS = Object.keys(PATHS);

export async function v7(app: FastifyInstance, deps: V7Deps): Promise<void> {
  const { feedWaiters = new FeedWaiters(deps.store.feed) } = deps;
  app.decorateRequest('caller', null);
  app.addHook('onRequest', createAdmitHook(deps));

  const routes = collectRoutes(app);

  // Outside the guarded routes: an unknown path is counted, but needs no key.
  app.setNotFoundHandler(handleNotFound);
  openApiRoute(app, routes, deps);
  for (const [path, methods] of Object.entries(PATHS)) refuseOtherMethods(app, path, methods);
  // Requests that wait for a vote are completed before the server closes.
  app.addHook('preClose', (done) => {
    feedWaiters.close();
    done();
  });

  app.register(async (guarded) => {
    guarded.addHook('preValidation', requireKey);
    guarded.addHook('preValidation', createFirstRequestHook(deps));
    guarded.setValidatorCompiler(compileValidator);
    const api = typed(guarded);
    voteCheckRoutes(api, deps);
    voteChecksRoute(api, deps);
    guildVotesRoute(api, deps);
    userVotesRoute(api, deps);
    claimRoutes(api, deps);
    feedRoute(api, deps, feedWaiters);
    leaderboardRoute(api, deps);
  });
}

const FIRST_REQUESTS_DELAY_MS = SECOND_MS;

/**
 * Records when the key of a guild was first used; later requests only check a set in memory. The guilds are written in
 * batches: after a restart all of them are new to this process, and one write per guild would slow down requests.
 */
function createFirstRequestHook({ store, clock }: V7Deps) {
  const known = new Set<string>();
  let batch: string[] = [];
  const flush = (): void => {
    const guildIds = batch;
    batch = [];
    store.activities.recordRequests(guildIds, clock()).catch(() => {
      // The next request tries again.
      for (const guildId of guildIds) known.delete(guildId);
    });
  };
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const { guildId } = callerGuild(request);
    if (!known.has(guildId)) {
      known.add(guildId);
      if (batch.push(guildId) === 1) setTimeout(flush, FIRST_REQUESTS_DELAY_MS).unref();
    }
    done();
  };
}

function createAdmitHook(deps: V7Deps) {
  const identify = createIdentify(deps);
  const limit = createLimit(deps.rateLimit, deps.clock);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    setCommonHeaders(request, reply);
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

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
  reply.header('content-language', requestLocale(request));
}

/** According to the contract, a 404 never has an error body. */
async function handleNotFound(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await reply.code(NOT_FOUND_STATUS).send();
}

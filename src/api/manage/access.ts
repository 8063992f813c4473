/** Authenticates the requests of the management API. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerNetwork } from '../../domain/address.ts';
import { type Clock, type Instant, SECOND_MS } from '../../domain/clock.ts';
import { hasKeyPrefix } from '../../domain/keys/api-key.ts';
import {
  type ApiToken,
  hashToken,
  isWellFormedToken,
  type TokenScope,
  tokenStateAt,
} from '../../domain/keys/api-token.ts';
import { type RateLimit, type RateWindow, rateStatusOf } from '../../store/rates.ts';
import type { Store } from '../../store/store.ts';
import { setCommonHeaders } from '../common-responses.ts';
import { ApiError } from '../errors/api-error.ts';
import { bearerKey, rateLimitHeader, rateLimitPolicy } from '../v7/access.ts';

type AccessDeps = { store: Store; clock: Clock; manageRateLimit: RateLimit };

/** Who sent a request, and when that was found out. Like in v7, it is counted before it is refused. */
type TokenCaller = { kind: 'token'; token: ApiToken; at: Instant } | { kind: 'refused'; error: unknown };

/** A request that takes longer than this to arrive is authorized again before it has an effect. */
const AUTHORIZED_FOR_MS = SECOND_MS;

declare module 'fastify' {
  interface FastifyRequest {
    tokenCaller: TokenCaller | null;
  }
}

/** Identifies and counts every request of this instance, including those of unknown paths. */
export function countTokens(app: FastifyInstance, deps: AccessDeps): void {
  const { manageRateLimit: limit, clock } = deps;
  const identify = createIdentify(deps);
  app.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply);
    const { caller, window } = await identify(request);
    request.tokenCaller = caller;
    sendLimit(reply, window, limit, clock());
  });
}

/**
 * Refuses every request of this instance whose token is not valid, or does not have the scope of the route, before its
 * body is read, and again after a body that arrived slowly. A route without a scope cannot be added. After
 * `countTokens`.
 */
export function requireTokens(app: FastifyInstance, deps: AccessDeps): void {
  const { store, clock } = deps;
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.scope) throw new Error(`${method} ${url} has no scope`);
  });
  app.addHook('onRequest', async (request) => {
    const token = callerToken(request);
    requireScope(token, request.routeOptions.config.scope);
    // Not worth failing for: a database that can only be read still answers.
    await store.tokens.markUsed(token, clock()).catch(() => undefined);
  });
  app.addHook('preValidation', async (request) => {
    const { tokenCaller: caller } = request;
    if (caller?.kind === 'token' && clock() - caller.at >= AUTHORIZED_FOR_MS)
      await authorizeAgain(request, deps);
  });
}

/** For a request that has waited: its token may have been revoked or expired meanwhile. */
export async function authorizeAgain(
  request: FastifyRequest,
  { store, clock }: Pick<AccessDeps, 'store' | 'clock'>,
): Promise<void> {
  const token = await store.tokens.find(callerToken(request).tokenId);
  const error = token ? stateError(token, clock()) : new ApiError('INVALID_TOKEN');
  if (error) throw error;
}

/** The token of a request that was authenticated. Throws if it is missing or invalid. */
export function callerToken({ tokenCaller }: FastifyRequest): ApiToken {
  if (tokenCaller === null) throw new Error('the token of this request was not read');
  if (tokenCaller.kind === 'refused') throw tokenCaller.error;
  return tokenCaller.token;
}

function requireScope({ scopes }: ApiToken, scope: TokenScope | undefined): void {
  if (scope === undefined || !scopes.includes(scope))
    throw new ApiError('MISSING_SCOPE', scope === undefined ? {} : { scope });
}

function createIdentify({ store, clock, manageRateLimit: limit }: AccessDeps) {
  return async (request: FastifyRequest): Promise<{ caller: TokenCaller; window: RateWindow }> => {
    const caller = await findCaller(request, store, clock);
    const rateKey =
      caller.kind === 'token' ? `token:${caller.token.tokenId}` : `manage:${callerNetwork(request.ip)}`;
    return { caller, window: await store.rates.hit(rateKey, limit, clock()) };
  };
}

async function findCaller(
  { headers }: FastifyRequest,
  { tokens }: Store,
  clock: Clock,
): Promise<TokenCaller> {
  const text = bearerKey(headers.authorization) ?? '';
  if (!isWellFormedToken(text)) return { kind: 'refused', error: formatError(text) };
  try {
    const token = await tokens.findByHash(hashToken(text));
    const at = clock();
    const error = token ? stateError(token, at) : new ApiError('INVALID_TOKEN');
    return token && !error ? { kind: 'token', token, at } : { kind: 'refused', error };
  } catch (error) {
    return { kind: 'refused', error };
  }
}

/** Why a text that cannot be a token is rejected. */
function formatError(text: string): ApiError {
  if (text === '') return ApiError.because('token_missing');
  return hasKeyPrefix(text) ? ApiError.because('token_is_key') : new ApiError('INVALID_TOKEN');
}

function stateError(token: ApiToken, now: number): ApiError | undefined {
  switch (tokenStateAt(token, now)) {
    case 'active':
      return undefined;
    case 'expired':
      return ApiError.because('token_expired');
    case 'revoked':
      return ApiError.because('token_revoked');
  }
}

function sendLimit(reply: FastifyReply, window: RateWindow, limit: RateLimit, now: number): void {
  const status = rateStatusOf(window, limit, now);
  reply.header('ratelimit-policy', rateLimitPolicy(limit));
  reply.header('ratelimit', rateLimitHeader(status));
  if (status.isExceeded) throw new ApiError('RATE_LIMITED', { retry_after: status.resetSeconds });
}

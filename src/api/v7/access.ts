/** Identifies and authorizes the caller of a request, and responds to unsupported methods and malformed paths. */
import { METHODS } from 'node:http';
import type {
  HookHandlerDoneFunction as Done,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyTypeProvider,
} from 'fastify';
import type { XStatic as Static } from 'typebox/schema';
import { callerNetwork } from '../../domain/address.ts';
import { hashApiKey, hasKeyPrefix, isPlaceholderKey, isWellFormedApiKey } from '../../domain/api-key.ts';
import { type Clock, type Instant, SECOND_MS } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { type Guild, hasPremium, isActive } from '../../domain/guild.ts';
import { isDecodable } from '../../domain/percent-encoding.ts';
import type { Secrets } from '../../domain/secrets.ts';
import { firstText, isRecord, isSnowflake, isStorableExternalId } from '../../domain/text.ts';
import { type RecentVote, recentWindow } from '../../domain/votes/vote.ts';
import type { FeedWaiters } from '../../store/announce.ts';
import type { Leaderboards } from '../../store/leaderboards.ts';
import { type RateLimit, type RateWindow, rateStatusOf } from '../../store/rates.ts';
import type { Store, VoteQuery } from '../../store/store.ts';

/** The caller of a request and its rate window. `vote` is the result of the lookup for a vote check. */
export type Caller = { window: RateWindow } & (
  | { kind: 'guild'; guild: Guild; keyHash: string; vote: RecentVote | undefined }
  | { kind: 'refused'; error: ApiError }
  | { kind: 'failed'; cause: unknown }
);

export type PresentedKey = { source: 'authorization' | 'x-api-token' | 'api_token'; key: string };

const BEARER = /^bearer(?:\s+(.*))?$/is;

/** Never throws or rejects: a request is counted first and rejected later. */
export function createIdentify({ store, rateLimit, clock }: Pick<V7Deps, 'store' | 'rateLimit' | 'clock'>) {
  return async (request: FastifyRequest, key: string): Promise<Caller> => {
    const now = clock();
    const fallbackRateKey = `ip:${callerNetwork(request.ip)}`;
    if (!isWellFormedApiKey(key)) {
      const window = await store.rates.hit(fallbackRateKey, rateLimit, now);
      return { kind: 'refused', error: keyError(request, key), window };
    }
    const keyHash = hashApiKey(key);
    const rateKeys = { rateKey: `key:${keyHash}`, fallbackRateKey };
    const voteQuery = voteQueryOf(request.query, now);
    try {
      const found = await store.admit({ keyHash, ...rateKeys, limit: rateLimit, now, voteQuery });
      const { guild, vote, window } = found;
      if (guild && isActive(guild)) return { kind: 'guild', guild, keyHash, vote, window };
      return { kind: 'refused', error: guildError(guild), window };
    } catch (cause) {
      return { kind: 'failed', cause, window: await store.rates.hit(fallbackRateKey, rateLimit, now) };
    }
  };
}

/**
 * The key of a request. The first source that is not empty decides, even if it contains a placeholder: that must be
 * reported, not hidden by another source.
 */
export function presentedKey(request: FastifyRequest): PresentedKey | undefined {
  const bearer = bearerKey(request.headers.authorization);
  if (bearer) return { source: 'authorization', key: bearer };
  const header = firstText(request.headers, 'x-api-token');
  if (header) return { source: 'x-api-token', key: header };
  const parameter = firstText(request.query, 'api_token');
  if (parameter) return { source: 'api_token', key: parameter };
  return undefined;
}

function bearerKey(authorization = ''): string | undefined {
  // The usual form. The regular expression handles the others.
  if (authorization.startsWith('Bearer ')) return authorization.slice('Bearer '.length).trim();
  const bearer = BEARER.exec(authorization);
  return bearer ? (bearer[1]?.trim() ?? '') : undefined;
}

/** Why a text that cannot be a key is rejected. */
function keyError({ headers }: FastifyRequest, key: string): ApiError {
  if (key !== '') return isNotSet(key) ? ApiError.because('placeholder') : new ApiError('INVALID_API_TOKEN');
  const { authorization = '' } = headers;
  return hasKeyPrefix(authorization) ? ApiError.because('bearer_missing') : new ApiError('API_NOT_SET');
}

/** Why a complete key is rejected: it belongs to a guild that is not active, or to none. */
function guildError(guild: Guild | undefined): ApiError {
  return guild ? ApiError.because('suspended') : new ApiError('INVALID_API_TOKEN');
}

/** Node decodes headers as latin1, so a placeholder that is not ASCII (`VOTRE_CLÉ_API`) is decoded again as UTF-8. */
function isNotSet(key: string): boolean {
  return isPlaceholderKey(key) || isPlaceholderKey(Buffer.from(key, 'latin1').toString());
}

/**
 * The vote lookup of a vote check, combined with the key lookup. `null` unless there is exactly one valid identifier:
 * otherwise the handler is not reached, or no vote can match.
 */
function voteQueryOf(query: unknown, now: Instant): VoteQuery | null {
  if (!isRecord(query)) return null;
  const { discord_id: userId, external_id: externalId } = query;
  const window = recentWindow(now);
  if (typeof userId === 'string' && !externalId && isSnowflake(userId)) return { userId, window };
  if (typeof externalId === 'string' && !userId && isStorableExternalId(externalId))
    return { externalId, window };
  return null;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** Sends the rate limit headers, and rejects the request above the limit. */
export function createLimit(rateLimit: RateLimit, clock: Clock) {
  const policy = `"default";q=${rateLimit.requests};w=${rateLimit.windowMs / SECOND_MS}`;
  return (window: RateWindow, reply: FastifyReply): void => {
    const { remaining, resetSeconds, isExceeded } = rateStatusOf(window, rateLimit, clock());
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
    if (isExceeded) throw new ApiError('RATE_LIMITED', { retry_after: resetSeconds });
  };
}

/** The guild of the key, and the vote found for the request. Throws if the key is missing or invalid. */
export function knownCaller(request: FastifyRequest): Extract<Caller, { kind: 'guild' }> {
  const { caller } = request;
  if (caller === null) throw new Error('the caller of this request was not identified');
  if (caller.kind === 'guild') return caller;
  if (caller.kind === 'refused') throw caller.error;
  throw caller.cause;
}

export function callerGuild(request: FastifyRequest): Guild {
  return knownCaller(request).guild;
}

/**
 * Checks the key of a request again that has been waiting: meanwhile it may have been replaced, or the guild sanctioned.
 * The request is not counted again. What it returns must be read before this call, so that nothing from after the
 * change is returned.
 */
export async function requireKeyAgain(
  request: FastifyRequest,
  { guilds }: Pick<Store, 'guilds'>,
): Promise<void> {
  const guild = await guilds.findByKeyHash(knownCaller(request).keyHash);
  if (!guild || !isActive(guild)) throw guildError(guild);
}

export function requireKey(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  knownCaller(request);
  done();
}

/** Activation can take an hour, but Premium that has ended does not start again by itself. */
function premiumError({ premiumUntil }: Guild): ApiError {
  return premiumUntil === null ? new ApiError('PREMIUM_REQUIRED') : ApiError.because('premium_ended');
}

export function requirePremium(clock: Clock) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const guild = callerGuild(request);
    if (!hasPremium(guild, clock())) throw premiumError(guild);
    done();
  };
}

/** CONNECT never reaches a route: http/client-errors.ts handles it. */
const ROUTABLE = METHODS.filter((method) => method !== 'CONNECT');

/** Must run once, before any route: Fastify knows only the common methods by default. */
export function supportAllMethods(app: FastifyInstance): void {
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

/**
 * A request target as a path, which routes, redirects and links rely on. A path with a malformed percent escape
 * (`/v7/guild/votes/users/%zz`) becomes routable by taking its percent signs literally, so it gets the response of its
 * route instead of a router error.
 */
export function routableUrl(target: string): string {
  const url = target.startsWith('/') ? target : pathOfAbsolute(target);
  if (!url.includes('%')) return url;
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  if (isDecodable(path)) return url;
  return path.replaceAll('%', '%25') + url.slice(path.length);
}

/** The form that clients send to forward proxies, as in `GET https://host/path`. Only Host names the host. */
function pathOfAbsolute(target: string): string {
  const [prefix = ''] = /^https?:\/\/[^/?]*/i.exec(target) ?? [];
  const path = target.slice(prefix.length);
  return prefix === '' || path.startsWith('/') ? path : `/${path}`;
}

/** The dependencies of the endpoints. */
export type V7Deps = {
  store: Store;
  leaderboards: Leaderboards;
  clock: Clock;
  secrets: Secrets;
  rateLimit: RateLimit;
  /**
   * Notified of votes that this process accepts. Without it they are found by polling, like those of other processes.
   */
  feedWaiters?: FeedWaiters;
  /** The public URL for the OpenAPI document; if unknown, the URL it was loaded from. */
  publicUrl?: string | null;
  /** The name in the title of the OpenAPI document. Default: Votary. */
  siteName?: string;
};

/** The TypeScript types of a JSON Schema. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: Static<this['schema']>;
  serializer: Static<this['schema']>;
}

/** A Fastify instance whose handlers are typed by their schemas. */
export type V7Instance = ReturnType<typeof typed>;

export function typed(app: FastifyInstance) {
  return app.withTypeProvider<SchemaTypes>();
}

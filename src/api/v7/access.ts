/** Identifies and authorizes the caller of a request. */
import type { IncomingMessage } from 'node:http';
import type { HookHandlerDoneFunction as Done, FastifyReply, FastifyRequest } from 'fastify';
import { callerNetwork } from '../../domain/address.ts';
import { type Clock, type Instant, SECOND_MS } from '../../domain/clock.ts';
import { type AdmittedGuild, hasPremium, isActive } from '../../domain/guild.ts';
import { isSnowflake, isStorableExternalId } from '../../domain/identifiers.ts';
import { hashApiKey, hasKeyPrefix, isPlaceholderKey, isWellFormedApiKey } from '../../domain/keys/api-key.ts';
import { firstText, isRecord } from '../../domain/record.ts';
import { type RecentVote, recentWindow } from '../../domain/votes/vote.ts';
import {
  type RateLimit,
  type RateStatus,
  type RateWindow,
  rateLimitOf,
  rateStatusOf,
} from '../../store/rates.ts';
import type { KeyMemory, Store, VoteQuery } from '../../store/store.ts';
import { ApiError } from '../errors/api-error.ts';
import type { V7Deps } from './endpoint.ts';

/** The caller of a request and its rate window. `vote` is the result of the lookup for a vote check. */
export type Caller = { window: RateWindow } & (
  | { kind: 'guild'; guild: AdmittedGuild; keyHash: string; vote: RecentVote | undefined }
  | { kind: 'refused'; error: ApiError }
  | { kind: 'failed'; cause: unknown }
);

export type PresentedKey = { source: 'authorization' | 'x-api-token' | 'api_token'; key: string };

const BEARER = /^bearer(?:\s+(.*))?$/is;

/** Which vote to look up together with the key of a request; null if none. */
export type FindVoteQuery = (request: FastifyRequest, now: Instant) => VoteQuery | null;

export const NO_VOTE: FindVoteQuery = () => null;

type IdentifyDeps = Pick<V7Deps, 'store' | 'rateLimit' | 'clock'>;

/** A request with a complete key. */
type CallerLookup = {
  keyHash: string;
  rateKey: string;
  ip: string;
  voteQuery: VoteQuery | null;
  now: Instant;
  memory?: KeyMemory | undefined;
};

/** Finds and counts the caller of a complete key. Never rejects: a request is counted first and rejected later. */
export function createFindCaller({ store, rateLimit: limit }: Pick<IdentifyDeps, 'store' | 'rateLimit'>) {
  return async ({ keyHash, rateKey, ip, voteQuery, now, memory }: CallerLookup): Promise<Caller> => {
    const fallbackRateKey = networkRateKey(ip);
    try {
      const found = await store.admit({ keyHash, rateKey, fallbackRateKey, limit, now, voteQuery, memory });
      const { guild, vote, window } = found;
      if (guild && isActive(guild)) return { kind: 'guild', guild, keyHash, vote, window };
      return { kind: 'refused', error: guildError(guild), window };
    } catch (cause) {
      return { kind: 'failed', cause, window: await store.rates.hit(fallbackRateKey, limit, now) };
    }
  };
}

/** Never rejects, like `createFindCaller`. */
export function createIdentify(deps: IdentifyDeps, findVoteQuery: FindVoteQuery) {
  const { store, rateLimit, clock } = deps;
  const findCaller = createFindCaller(deps);
  return async (request: FastifyRequest, key: string): Promise<Caller> => {
    const now = clock();
    const { ip } = request;
    if (!isWellFormedApiKey(key)) {
      const window = await store.rates.hit(networkRateKey(ip), rateLimit, now);
      return { kind: 'refused', error: keyError(request, key), window };
    }
    const keyHash = hashApiKey(key);
    return findCaller({
      keyHash,
      rateKey: keyRateKey(keyHash),
      ip,
      voteQuery: findVoteQuery(request, now),
      now,
    });
  };
}

export function keyRateKey(keyHash: string): string {
  return `key:${keyHash}`;
}

function networkRateKey(ip: string): string {
  return `ip:${callerNetwork(ip)}`;
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

/** The key or token after `Bearer`, which can be empty; `undefined` if the header has another scheme or none. */
export function bearerKey(authorization = ''): string | undefined {
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
function guildError(guild: AdmittedGuild | undefined): ApiError {
  return guild ? ApiError.because('suspended') : new ApiError('INVALID_API_TOKEN');
}

/** Node decodes headers as latin1, so a placeholder that is not ASCII (`VOTRE_CLÉ_API`) is decoded again as UTF-8. */
function isNotSet(key: string): boolean {
  return isPlaceholderKey(key) || isPlaceholderKey(Buffer.from(key, 'latin1').toString());
}

/**
 * The vote of a vote check. Null unless there is exactly one valid identifier: otherwise the handler is not reached, or
 * no vote can match.
 */
export const voteOfCheck: FindVoteQuery = ({ query }, now) => {
  if (!isRecord(query)) return null;
  const { discord_id: userId, external_id: externalId } = query;
  const window = recentWindow(now);
  if (typeof userId === 'string' && !externalId && isSnowflake(userId)) return { userId, window };
  if (typeof externalId === 'string' && !userId && isStorableExternalId(externalId))
    return { externalId, window };
  return null;
};

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** The callers of requests that were counted before they reached the API (plain-vote-check.ts). */
const counted = new WeakMap<IncomingMessage, Caller>();

export function setCountedCaller(request: IncomingMessage, caller: Caller): void {
  counted.set(request, caller);
}

export function countedCaller(request: IncomingMessage): Caller | undefined {
  return counted.get(request);
}

export function rateLimitPolicy({ requests, windowMs }: RateLimit): string {
  return `"default";q=${requests};w=${windowMs / SECOND_MS}`;
}

export function rateLimitHeader({ remaining, resetSeconds }: RateStatus): string {
  return `"default";r=${remaining};t=${resetSeconds}`;
}

/** The limit that applies to this caller: the one of its guild, if it has its own. */
export function limitOfCaller(caller: Caller, rateLimit: RateLimit): RateLimit {
  return caller.kind === 'guild' ? rateLimitOf(caller.guild, rateLimit) : rateLimit;
}

/** Sends the rate limit headers, and rejects the request above the limit. */
export function createLimit(rateLimit: RateLimit, clock: Clock) {
  return (caller: Caller, reply: FastifyReply): void => {
    const limit = limitOfCaller(caller, rateLimit);
    const status = rateStatusOf(caller.window, limit, clock());
    reply.header('ratelimit-policy', rateLimitPolicy(limit));
    reply.header('ratelimit', rateLimitHeader(status));
    if (status.isExceeded) throw new ApiError('RATE_LIMITED', { retry_after: status.resetSeconds });
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

export function callerGuild(request: FastifyRequest): AdmittedGuild {
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
function premiumError({ premiumUntil }: AdmittedGuild): ApiError {
  return premiumUntil === null ? new ApiError('PREMIUM_REQUIRED') : ApiError.because('premium_ended');
}

export function requirePremium(clock: Clock) {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const guild = callerGuild(request);
    if (!hasPremium(guild, clock())) throw premiumError(guild);
    done();
  };
}

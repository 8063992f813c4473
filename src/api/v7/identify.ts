import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerNetwork } from '../../domain/address.ts';
import { hashApiKey, isWellFormedApiKey } from '../../domain/api-key.ts';
import { type Guild, isActive } from '../../domain/guild.ts';
import { isPlaceholderKey } from '../../domain/placeholder.ts';
import type { Caller } from './caller.ts';
import type { V7Deps } from './deps.ts';
import { KnownCallers } from './known-callers.ts';
import { presentedKey } from './presented-key.ts';
import { soughtVote } from './sought-vote.ts';

/** `api_token` in the address is older than v7 itself; its answers say so (RFC 9745). */
const API_TOKEN_DEPRECATED_SINCE = '@1767225600';
const API_TOKEN_LINK = '</docs#authentication>; rel="deprecation"; type="text/html"';

type Deps = Pick<V7Deps, 'store' | 'rateLimit' | 'clock'>;

/** Gives the caller at once when it is known, and a promise of it when the database has to be asked. */
export function identify(deps: Deps) {
  const known = new KnownCallers(deps.store.guilds);

  return (request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller> => {
    const presented = presentedKey(request);
    if (presented?.source === 'api_token') {
      reply.header('deprecation', API_TOKEN_DEPRECATED_SINCE);
      reply.header('link', API_TOKEN_LINK);
    }
    const key = presented?.key ?? '';
    return known.find(key) ?? findCaller(deps, known, key, request);
  };
}

async function findCaller(
  deps: Deps,
  known: KnownCallers,
  key: string,
  request: FastifyRequest,
): Promise<Caller> {
  if (!isWellFormedApiKey(key)) {
    const code = isNotSet(key) ? 'API_NOT_SET' : 'INVALID_API_TOKEN';
    return { kind: 'refused', code, rateIdentity: networkOf(request) };
  }
  try {
    const { revision } = known;
    const keyHash = hashApiKey(key);
    const admitted = admit(deps, keyHash, request);
    if (admitted) return await admitted;
    const caller = foundCaller(await deps.store.guilds.findByKeyHash(keyHash), keyHash, request);
    if (caller.kind === 'guild') known.remember(key, caller, revision);
    return caller;
  } catch (cause) {
    return { kind: 'unknown', cause, rateIdentity: networkOf(request) };
  }
}

/** All questions of the request in one, for stores that would rather have it so. */
function admit({ store, rateLimit, clock }: Deps, keyHash: string, request: FastifyRequest) {
  if (!store.admit) return undefined;
  const now = clock();
  const sought = soughtVote(request, now);
  const question = { keyHash, caller: keyIdentity(keyHash), otherCaller: networkOf(request), sought };
  return store.admit({ ...question, limit: rateLimit, now })?.then(({ guild, window, vote }): Caller => {
    const caller = foundCaller(guild, keyHash, request);
    return { ...caller, counted: window, ...(sought && { latest: { vote } }) };
  });
}

function foundCaller(guild: Guild | undefined, keyHash: string, request: FastifyRequest): Caller {
  if (guild && isActive(guild)) return { kind: 'guild', guild, rateIdentity: keyIdentity(keyHash) };
  return { kind: 'refused', code: 'INVALID_API_TOKEN', rateIdentity: networkOf(request) };
}

function keyIdentity(keyHash: string): string {
  return `key:${keyHash}`;
}

function networkOf(request: FastifyRequest): string {
  return `ip:${callerNetwork(request.ip)}`;
}

/** Node reads headers byte by byte, so an example that is not plain ASCII (`VOTRE_CLÉ_API`) is read again as UTF-8. */
function isNotSet(key: string): boolean {
  return isPlaceholderKey(key) || isPlaceholderKey(Buffer.from(key, 'latin1').toString());
}

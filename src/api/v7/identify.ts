import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerNetwork } from '../../domain/address.ts';
import { hashApiKey, isWellFormedApiKey } from '../../domain/api-key.ts';
import { type Guild, isActive } from '../../domain/guild.ts';
import { isPlaceholderKey } from '../../domain/placeholder.ts';
import type { GuildStore } from '../../store/store.ts';
import { presentedKey } from './presented-key.ts';

/** Who is asking. Identifying never throws, so that every request is counted before it is refused. */
export type Caller =
  | { kind: 'guild'; guild: Guild; rateIdentity: string }
  | { kind: 'refused'; code: 'API_NOT_SET' | 'INVALID_API_TOKEN'; rateIdentity: string }
  | { kind: 'unknown'; cause: unknown; rateIdentity: string };

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** `api_token` in the address is older than v7 itself; its answers say so (RFC 9745). */
const API_TOKEN_DEPRECATED_SINCE = '@1767225600';
const API_TOKEN_LINK = '</docs#authentication>; rel="deprecation"; type="text/html"';

/** The caller that `identify`, the first of the hooks, has found. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('nobody has identified the caller of this request');
  return request.caller;
}

export function identify(guilds: GuildStore) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const presented = presentedKey(request);
    if (presented?.source === 'api_token') {
      reply.header('deprecation', API_TOKEN_DEPRECATED_SINCE);
      reply.header('link', API_TOKEN_LINK);
    }
    request.caller = await findCaller(guilds, presented?.key ?? '', request.ip);
  };
}

async function findCaller(guilds: GuildStore, key: string, ip: string): Promise<Caller> {
  const rateIdentity = `ip:${callerNetwork(ip)}`;
  if (!isWellFormedApiKey(key)) {
    return { kind: 'refused', code: isNotSet(key) ? 'API_NOT_SET' : 'INVALID_API_TOKEN', rateIdentity };
  }
  try {
    const hash = hashApiKey(key);
    const guild = await guilds.findByKeyHash(hash);
    if (guild && isActive(guild)) return { kind: 'guild', guild, rateIdentity: `key:${hash}` };
    return { kind: 'refused', code: 'INVALID_API_TOKEN', rateIdentity };
  } catch (cause) {
    return { kind: 'unknown', cause, rateIdentity };
  }
}

/** Node reads headers byte by byte, so an example that is not plain ASCII (`VOTRE_CLÉ_API`) is read again as UTF-8. */
function isNotSet(key: string): boolean {
  return isPlaceholderKey(key) || isPlaceholderKey(Buffer.from(key, 'latin1').toString());
}

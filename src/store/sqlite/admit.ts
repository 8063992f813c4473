import { isActive } from '../../domain/guild.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import type { MemoryRateStore } from '../rates.ts';
import type { Admission, RequestLookup, VoteQuery } from '../store.ts';
import { explainUnavailable } from './connection.ts';
import type { HotCache } from './hot-cache.ts';

/** `admit` of the store, mostly from memory. The request is counted last, when nothing else can fail. */
export function createAdmit(
  cache: HotCache,
  rates: MemoryRateStore,
): (lookup: RequestLookup) => Promise<Admission> {
  return async ({ keyHash, voteQuery, rateKey, fallbackRateKey, limit, now }) => {
    const { guild, vote } = find(cache, keyHash, voteQuery);
    const window = rates.count(guild && isActive(guild) ? rateKey : fallbackRateKey, limit, now);
    return { guild, vote, window };
  };
}

function find(cache: HotCache, keyHash: string, query: VoteQuery | null): Omit<Admission, 'window'> {
  try {
    const guild = cache.guildByKeyHash(keyHash);
    return { guild, vote: guild && query ? findVote(cache, guild.guildId, query) : undefined };
  } catch (error) {
    throw explainUnavailable(error);
  }
}

function findVote(cache: HotCache, guildId: string, query: VoteQuery): Vote | undefined {
  if ('userId' in query) return cache.latestOfUser(guildId, query.userId, query.window);
  return cache.latestOfExternalId(guildId, query.externalId, query.window);
}

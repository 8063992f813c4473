import { isActive } from '../../domain/guild.ts';
import type { Vote } from '../../domain/vote.ts';
import type { MemoryRateStore } from '../memory-rates.ts';
import type { Admission, RequestLookup, VoteQuery } from '../store.ts';
import type { HotCache } from './hot-cache.ts';

/** `admit` of the store, mostly from memory. The request is counted last, when nothing can fail any more. */
export function createAdmit(
  cache: HotCache,
  rates: MemoryRateStore,
): (lookup: RequestLookup) => Promise<Admission> {
  return async ({ keyHash, voteQuery, rateKey, fallbackRateKey, limit, now }) => {
    const guild = cache.guildByKeyHash(keyHash);
    const vote = guild && voteQuery ? findVote(cache, guild.guildId, voteQuery) : undefined;
    const window = rates.count(guild && isActive(guild) ? rateKey : fallbackRateKey, limit, now);
    return { guild, vote, window };
  };
}

function findVote(cache: HotCache, guildId: string, query: VoteQuery): Vote | undefined {
  if ('userId' in query) return cache.latestOfUser(guildId, query.userId, query.window);
  return cache.latestOfExternalId(guildId, query.externalId, query.window);
}

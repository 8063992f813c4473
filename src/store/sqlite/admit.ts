import { isActive } from '../../domain/guild.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import type { MemoryRateStore } from '../rates.ts';
import type { Admission, KeyMemory, RequestLookup, VoteQuery } from '../store.ts';
import { explainUnavailable } from './connection.ts';
import { FoundKey, type HotCache } from './hot-cache.ts';

/** `admit` of the store, mostly from memory. The request is counted last, when nothing else can fail. */
export function createAdmit(
  cache: HotCache,
  rates: MemoryRateStore,
): (lookup: RequestLookup) => Promise<Admission> {
  return async ({ keyHash, voteQuery, rateKey, fallbackRateKey, limit, now, memory }) => {
    const found = memory && foundIn(memory);
    const { guild, vote } = find(cache, keyHash, voteQuery, found);
    const window =
      guild && isActive(guild)
        ? rates.count(rateKey, limit, now, found)
        : rates.count(fallbackRateKey, limit, now);
    return { guild, vote, window };
  };
}

function foundIn(memory: KeyMemory): FoundKey {
  const { found } = memory;
  if (found instanceof FoundKey) return found;
  const created = new FoundKey();
  memory.found = created;
  return created;
}

function find(
  cache: HotCache,
  keyHash: string,
  query: VoteQuery | null,
  found: FoundKey | undefined,
): Omit<Admission, 'window'> {
  try {
    const guild = cache.guildByKeyHash(keyHash, found);
    return { guild, vote: guild && query ? findVote(cache, guild.guildId, query, found) : undefined };
  } catch (error) {
    throw explainUnavailable(error);
  }
}

function findVote(
  cache: HotCache,
  guildId: string,
  query: VoteQuery,
  found: FoundKey | undefined,
): Vote | undefined {
  const { window } = query;
  if ('userId' in query) return cache.latestOfUser(guildId, query.userId, window, found);
  return cache.latestOfExternalId(guildId, query.externalId, window, found);
}

import type { Database } from '../../database.ts';
import type { MemoryNetworks } from '../../rates.ts';
import { createVoteCounts } from '../../votes/counts.ts';
import { createVoteLists } from '../../votes/lists.ts';
import type { VoteStore } from '../../votes/votes.ts';
import type { Connections } from '../connection.ts';
import type { HotCache } from '../hot-cache.ts';
import { createCast } from './cast.ts';
import { importVotes } from './import.ts';
import { createRankings } from './rankings.ts';
import { createStanding, createTotalsOf } from './standing.ts';

export function createVoteStore(
  connections: Connections,
  database: Database,
  path: string,
  { cache, networks }: { cache: HotCache; networks: MemoryNetworks },
): VoteStore {
  const counts = createVoteCounts(database);
  const { topVoters, topNames } = createRankings(connections.reader, counts.count);
  return {
    ...createVoteLists(database),
    ...counts,
    cast: createCast(connections, { cache, networks }),
    async latestOfUser(guildId, userId, window) {
      return cache.latestOfUser(guildId, userId, window);
    },
    async latestOfExternalId(guildId, externalId, window) {
      return cache.latestOfExternalId(guildId, externalId, window);
    },
    async latestOfMany(guildId, kind, ids, window) {
      const latest = kind === 'userId' ? cache.latestOfUser : cache.latestOfExternalId;
      return ids.map((id) => latest.call(cache, guildId, id, window));
    },
    topVoters: (...params) => connections.track(topVoters(...params)),
    topNames: (...params) => connections.track(topNames(...params)),
    standing: createStanding(connections),
    totalsOf: createTotalsOf(connections.reader),
    import: (batches, now) => connections.track(importVotes(path, batches, now)),
  };
}

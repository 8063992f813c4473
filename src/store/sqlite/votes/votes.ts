import type { ListedVote } from '../../../domain/votes/vote.ts';
import { isSearchable } from '../../shared/fold-name.ts';
import type { MemoryNetworks } from '../../shared/memory.ts';
import { beforeOrNewest, exportVotes, pageStart } from '../../shared/paging.ts';
import type { VoteStore } from '../../votes/votes.ts';
import type { Connection, Connections } from '../connection.ts';
import type { HotCache } from '../hot-cache.ts';
import { HOT_QUERIES, toVote, type VoteRow } from '../queries.ts';
import { createCast } from './cast.ts';
import { createVoteCounts } from './counts.ts';
import { importVotes } from './import.ts';
import { createStanding } from './standing.ts';

type ListedRow = Pick<VoteRow, 'user_id' | 'cast_at' | 'is_doubled'>;

export function createVoteStore(
  database: Connections,
  path: string,
  cache: HotCache,
  networks: MemoryNetworks,
): VoteStore {
  const sql = prepare(database.reader);
  const votes: VoteStore = {
    cast: createCast(database, networks),
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
    async page({ guildId, userId, period }, after, limit) {
      const { castAt, userId: afterUserId } = pageStart(period, after);
      const range = [castAt, afterUserId, period.to, limit] as const;
      const rows =
        userId === null ? sql.page.all(guildId, ...range) : sql.pageOfUser.all(guildId, userId, ...range);
      return rows.map(toVote);
    },
    async list({ guildId, userId, period }, after, limit) {
      const { castAt, userId: afterUserId } = pageStart(period, after);
      const range = [castAt, afterUserId, period.to, limit] as const;
      const rows =
        userId === null ? sql.list.all(guildId, ...range) : sql.listOfUser.all(guildId, userId, ...range);
      return rows.map(toListedVote);
    },
    async recent(guildId, userId, before, limit) {
      const { castAt, userId: beforeUserId } = beforeOrNewest(before);
      const range = [castAt, beforeUserId, limit] as const;
      const rows =
        userId === null ? sql.recent.all(guildId, ...range) : sql.recentOfUser.all(guildId, userId, ...range);
      return rows.map(toVote);
    },
    async ofName(guildId, foldedName, from, limit) {
      if (!isSearchable(foldedName)) return [];
      const { castAt, userId } = 'after' in from ? from.after : beforeOrNewest(from.before);
      const query = 'after' in from ? sql.afterOfName : sql.beforeOfName;
      return query.all(guildId, foldedName, castAt, userId, limit).map(toVote);
    },
    ...createVoteCounts(database),
    standing: createStanding(database),
    import: (batches, now) => database.track(importVotes(path, batches, now)),
    export: (guildId, period) => exportVotes(votes.page, guildId, period),
  };
  return votes;
}

function prepare(db: Connection) {
  return {
    page: db.prepare<[string, number, string, number, number], VoteRow>(HOT_QUERIES.page),
    pageOfUser: db.prepare<[string, string, number, string, number, number], VoteRow>(HOT_QUERIES.pageOfUser),
    list: db.prepare<[string, number, string, number, number], ListedRow>(HOT_QUERIES.list),
    listOfUser: db.prepare<[string, string, number, string, number, number], ListedRow>(
      HOT_QUERIES.listOfUser,
    ),
    recent: db.prepare<[string, number, string, number], VoteRow>(HOT_QUERIES.recent),
    beforeOfName: db.prepare<[string, string, number, string, number], VoteRow>(HOT_QUERIES.beforeOfName),
    afterOfName: db.prepare<[string, string, number, string, number], VoteRow>(HOT_QUERIES.afterOfName),
    recentOfUser: db.prepare<[string, string, number, string, number], VoteRow>(HOT_QUERIES.recentOfUser),
  };
}

function toListedVote(row: ListedRow): ListedVote {
  return { userId: row.user_id, castAt: row.cast_at, isDoubled: row.is_doubled === 1 };
}

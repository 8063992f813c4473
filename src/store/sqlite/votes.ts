import { isStorableExternalId } from '../../domain/identifiers.ts';
import type { ListedVote, Vote } from '../../domain/vote.ts';
import { exportVotes } from '../export-votes.ts';
import { beforeOrNewest, pageStart } from '../page-start.ts';
import type { VoteStore } from '../store.ts';
import { createCast } from './cast.ts';
import type { Connection, Connections } from './connection.ts';
import type { RecentVotes } from './recent-votes.ts';
import { createVoteCounts } from './vote-counts.ts';
import { importVotes } from './vote-import.ts';
import { HOT_QUERIES } from './vote-queries.ts';

type VoteRow = {
  guild_id: string;
  user_id: string;
  cast_at: number;
  external_id: string | null;
  is_doubled: number;
};

type ListedRow = Pick<VoteRow, 'user_id' | 'cast_at' | 'is_doubled'>;

export function createVoteStore(database: Connections, path: string, recent: RecentVotes): VoteStore {
  const sql = prepare(database.reader);
  const votes: VoteStore = {
    cast: createCast(database),
    async latestOfUser(guildId, userId, window) {
      const index = recent.ofUsers(window);
      if (index) return index.latest(guildId, userId, window);
      const row = sql.latestOfUser.get(guildId, userId, window.after, window.until);
      return row && toVote(row);
    },
    async latestOfExternalId(guildId, externalId, window) {
      // Text that no vote can carry is not asked for: the driver would change half a surrogate pair on its way.
      if (!isStorableExternalId(externalId)) return undefined;
      const index = recent.ofExternalIds(window);
      if (index) return index.latest(guildId, externalId, window);
      const row = sql.latestOfExternalId.get(guildId, externalId, window.after, window.until);
      return row && toVote(row);
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
    ...createVoteCounts(database),
    import: (batches, now) => database.track(importVotes(path, batches, now)),
    export: (guildId, period) => exportVotes(votes.page, guildId, period),
  };
  return votes;
}

function prepare(db: Connection) {
  return {
    latestOfUser: db.prepare<[string, string, number, number], VoteRow>(HOT_QUERIES.latestOfUser),
    latestOfExternalId: db.prepare<[string, string, number, number], VoteRow>(HOT_QUERIES.latestOfExternalId),
    page: db.prepare<[string, number, string, number, number], VoteRow>(HOT_QUERIES.page),
    pageOfUser: db.prepare<[string, string, number, string, number, number], VoteRow>(HOT_QUERIES.pageOfUser),
    list: db.prepare<[string, number, string, number, number], ListedRow>(HOT_QUERIES.list),
    listOfUser: db.prepare<[string, string, number, string, number, number], ListedRow>(
      HOT_QUERIES.listOfUser,
    ),
    recent: db.prepare<[string, number, string, number], VoteRow>(HOT_QUERIES.recent),
    recentOfUser: db.prepare<[string, string, number, string, number], VoteRow>(HOT_QUERIES.recentOfUser),
  };
}

function toListedVote(row: ListedRow): ListedVote {
  return { userId: row.user_id, castAt: row.cast_at, isDoubled: row.is_doubled === 1 };
}

function toVote(row: VoteRow): Vote {
  return {
    guildId: row.guild_id,
    userId: row.user_id,
    castAt: row.cast_at,
    externalId: row.external_id,
    isDoubled: row.is_doubled === 1,
  };
}

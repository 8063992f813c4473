import type { Instant } from '../../../domain/clock.ts';
import { isSearchable } from '../../../domain/text.ts';
import { hourOf } from '../../../domain/votes/period.ts';
import type { ListedVote } from '../../../domain/votes/vote.ts';
import type { MemoryNetworks } from '../../rates.ts';
import { beforeOrNewest, exportVotes, type FeedStore, pageStart, type VoteStore } from '../../votes.ts';
import type { Connection, Connections } from '../connection.ts';
import type { HotCache } from '../hot-cache.ts';
import { HOT_QUERIES, toVote, type VoteRow } from '../queries.ts';
import { createCast, createStanding } from './cast.ts';
import { createVoteCounts } from './counts.ts';
import { importVotes } from './import.ts';

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

const NEWEST = `SELECT max(seq) FROM votes INDEXED BY votes_by_seq WHERE guild_id =`;

export const FEED_QUERIES = {
  heads: `
    SELECT value AS guild_id, (${NEWEST} value AND seq IS NOT NULL) AS seq FROM json_each(@guildIds)`,
  read: `
    SELECT guild_id, user_id, cast_at, external_id, is_doubled, seq FROM votes INDEXED BY votes_by_seq
    WHERE guild_id = @guildId AND seq > @afterSeq AND cast_at >= @from ORDER BY seq LIMIT @limit + 0`,
  // The primary key of hourly_votes: the hours since then. If they have no votes, reading starts at the end.
  startAt: `
    SELECT coalesce(min(first_seq) - 1, (${NEWEST} @guildId AND seq IS NOT NULL), 0) AS seq
    FROM hourly_votes WHERE guild_id = @guildId AND hour >= @hour`,
  // The primary keys of feed_epochs and vote_sequences, and indexes votes_by_seq and voided_votes_by_seq.
  history: `
    SELECT (SELECT json_group_array(epoch) FROM feed_epochs) AS epochs,
      (SELECT last_seq FROM vote_sequences WHERE guild_id = @guildId) AS last_seq,
      coalesce(
        (SELECT cast_at FROM votes INDEXED BY votes_by_seq WHERE guild_id = @guildId AND seq = @afterSeq),
        (SELECT cast_at FROM voided_votes INDEXED BY voided_votes_by_seq WHERE guild_id = @guildId AND seq = @afterSeq)
      ) AS cast_at`,
} as const;

type HistoryRow = { epochs: string; last_seq: number | null; cast_at: Instant | null };

type ReadRange = { guildId: string; afterSeq: number; from: Instant; limit: number };

export function createFeedStore(db: Connection): FeedStore {
  const heads = db.prepare<[{ guildIds: string }], { guild_id: string; seq: number | null }>(
    FEED_QUERIES.heads,
  );
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();
  let polledVersion: number | undefined;
  const read = db.prepare<[ReadRange], VoteRow & { seq: number }>(FEED_QUERIES.read);
  const startAt = db.prepare<[{ guildId: string; hour: Instant }], { seq: number }>(FEED_QUERIES.startAt);
  const history = db.prepare<[{ guildId: string; afterSeq: number }], HistoryRow>(FEED_QUERIES.history);
  return {
    async heads(guildIds) {
      const rows = heads.all({ guildIds: JSON.stringify(guildIds) });
      return new Map(rows.flatMap(({ guild_id, seq }) => (seq === null ? [] : [[guild_id, seq] as const])));
    },
    // One integer instead of a lookup per guild: 1,000 guilds took 3 ms four times a second.
    async changedHeads(guildIds) {
      const version = dataVersion.get();
      if (version === polledVersion) return new Map();
      const found = await this.heads(guildIds);
      polledVersion = version;
      return found;
    },
    async read(guildId, afterSeq, from, limit) {
      const rows = read.all({ guildId, afterSeq, from, limit });
      const found = history.get({ guildId, afterSeq });
      const epochs: Instant[] = JSON.parse(found?.epochs ?? '[]');
      return {
        votes: rows.map((row) => ({ ...toVote(row), seq: row.seq })),
        history: {
          epochs: epochs.sort((a, b) => a - b),
          lastSeq: found?.last_seq ?? 0,
          castAt: found?.cast_at ?? null,
        },
      };
    },
    async startAt(guildId, from) {
      return startAt.get({ guildId, hour: hourOf(from) })?.seq ?? 0;
    },
  };
}

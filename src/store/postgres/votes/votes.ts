import { isStorableExternalId } from '../../../domain/identifiers.ts';
import { isSearchable } from '../../../domain/text.ts';
import type { FeedHistory } from '../../../domain/votes/feed.ts';
import { hourOf } from '../../../domain/votes/period.ts';
import type { ListedVote, RecentVote, Vote } from '../../../domain/votes/vote.ts';
import { foldExternalId } from '../../../domain/votes/vote.ts';
import {
  beforeOrNewest,
  exportVotes,
  type FeedStore,
  type FeedVote,
  pageStart,
  type VoteStore,
} from '../../votes.ts';
import type { Connections, Queryable } from '../connection/connection.ts';
import { castVote, createStanding } from './cast.ts';
import { createVoteCounts } from './counts.ts';
import { importVotes } from './import.ts';

export type VoteRow = {
  guild_id: string;
  user_id: string;
  cast_at: number;
  external_id: string | null;
  is_doubled: boolean;
};

type ListedRow = Pick<VoteRow, 'user_id' | 'cast_at' | 'is_doubled'>;

export function createVoteStore(database: Connections, url: string): VoteStore {
  async function read(name: keyof typeof HOT_QUERIES, ...values: unknown[]): Promise<Vote[]> {
    const { rows } = await database.query<VoteRow>({ name, text: HOT_QUERIES[name], values });
    return rows.map(toVote);
  }

  const votes: VoteStore = {
    cast: (vote, evidence) => database.transaction((tx) => castVote(tx, vote, evidence)),
    async latestOfUser(guildId, userId, { after, until }) {
      return (await read('latestOfUser', guildId, userId, after, until))[0];
    },
    async latestOfExternalId(guildId, externalId, { after, until }) {
      // Skips text that no vote can contain: PostgreSQL rejects NUL, and half a surrogate pair would be changed.
      if (!isStorableExternalId(externalId)) return undefined;
      const nameKey = foldExternalId(externalId);
      return (await read('latestOfExternalId', guildId, externalId, after, until, nameKey))[0];
    },
    async latestOfMany(guildId, kind, ids, { after, until }) {
      // As above. No vote has an external id that is null.
      const asked = kind === 'userId' ? ids : ids.map((id) => (isStorableExternalId(id) ? id : null));
      const values: unknown[] = [guildId, asked, after, until];
      if (kind === 'externalId') values.push(asked.map((id) => id && foldExternalId(id)));
      const statement = { name: `many-${kind}`, text: MANY_QUERIES[kind], values };
      return (await database.query<ManyRow>(statement)).rows.map(toRecentVote);
    },
    async page({ guildId, userId, period }, after, limit) {
      const { castAt, userId: afterUserId } = pageStart(period, after);
      const range = [castAt, afterUserId, period.to, limit];
      return userId === null
        ? read('page', guildId, ...range)
        : read('pageOfUser', guildId, userId, ...range);
    },
    async list({ guildId, userId, period }, after, limit) {
      const { castAt, userId: afterUserId } = pageStart(period, after);
      const range = [castAt, afterUserId, period.to, limit];
      const statement =
        userId === null
          ? { name: 'list', text: HOT_QUERIES.list, values: [guildId, ...range] }
          : { name: 'listOfUser', text: HOT_QUERIES.listOfUser, values: [guildId, userId, ...range] };
      const { rows } = await database.query<ListedRow>(statement);
      return rows.map(toListedVote);
    },
    async recent(guildId, userId, before, limit) {
      const { castAt, userId: beforeUserId } = beforeOrNewest(before);
      const range = [castAt, beforeUserId, limit];
      return userId === null
        ? read('recent', guildId, ...range)
        : read('recentOfUser', guildId, userId, ...range);
    },
    async ofName(guildId, foldedName, from, limit) {
      if (!isSearchable(foldedName)) return [];
      const { castAt, userId } = 'after' in from ? from.after : beforeOrNewest(from.before);
      const name = 'after' in from ? 'afterOfName' : 'beforeOfName';
      return read(name, guildId, foldedName, castAt, userId, limit);
    },
    ...createVoteCounts(database),
    standing: createStanding(database),
    import: (batches, now) => database.track(importVotes(url, batches, now)),
    export: (guildId, period) => exportVotes(votes.page, guildId, period),
  };
  return votes;
}

type ManyRow = { cast_at: number | null; is_doubled: boolean | null };

function toRecentVote({ cast_at, is_doubled }: ManyRow): RecentVote | undefined {
  return cast_at === null ? undefined : { castAt: cast_at, isDoubled: is_doubled === true };
}

function toListedVote(row: ListedRow): ListedVote {
  return { userId: row.user_id, castAt: row.cast_at, isDoubled: row.is_doubled };
}

export function toVote(row: VoteRow): Vote {
  return {
    guildId: row.guild_id,
    userId: row.user_id,
    castAt: row.cast_at,
    externalId: row.external_id,
    isDoubled: row.is_doubled,
  };
}

const COLUMNS = 'guild_id, user_id, cast_at, external_id, is_doubled';
const LISTED = 'user_id, cast_at, is_doubled';

/** The queries of every request, each with its index; a test checks the query plans. */
export const HOT_QUERIES = {
  // Index votes_by_user, read from its end.
  latestOfUser: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND cast_at > $3 AND cast_at <= $4
    ORDER BY cast_at DESC LIMIT 1`,
  // Index votes_by_external_id, read from its end; it contains case-folded names.
  latestOfExternalId: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND name_key = $5 AND external_id = $2 AND cast_at > $3 AND cast_at <= $4
    ORDER BY cast_at DESC, user_id DESC LIMIT 1`,
  // The primary key (guild_id, cast_at, user_id), which is the order of the list.
  page: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND (cast_at, user_id) > ($2, $3) AND cast_at < $4
    ORDER BY cast_at, user_id LIMIT $5`,
  // Index votes_by_user.
  pageOfUser: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND (cast_at, user_id) > ($3, $4) AND cast_at < $5
    ORDER BY cast_at LIMIT $6`,
  // The primary key (guild_id, cast_at, user_id), which is the order of the list.
  list: `
    SELECT ${LISTED} FROM votes
    WHERE guild_id = $1 AND (cast_at, user_id) > ($2, $3) AND cast_at < $4
    ORDER BY cast_at, user_id LIMIT $5`,
  // Index votes_by_user.
  listOfUser: `
    SELECT ${LISTED} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND (cast_at, user_id) > ($3, $4) AND cast_at < $5
    ORDER BY cast_at LIMIT $6`,
  // The primary key, read backwards.
  recent: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND (cast_at, user_id) < ($2, $3)
    ORDER BY cast_at DESC, user_id DESC LIMIT $4`,
  // Index votes_by_user, read backwards.
  recentOfUser: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND (cast_at, user_id) < ($3, $4)
    ORDER BY cast_at DESC LIMIT $5`,
  // Index votes_by_external_id, read backwards.
  beforeOfName: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND name_key = $2 AND (cast_at, user_id) < ($3, $4)
    ORDER BY cast_at DESC, user_id DESC LIMIT $5`,
  // Index votes_by_external_id.
  afterOfName: `
    SELECT ${COLUMNS} FROM votes
    WHERE guild_id = $1 AND name_key = $2 AND (cast_at, user_id) > ($3, $4)
    ORDER BY cast_at, user_id LIMIT $5`,
} as const;

function latestOf(condition: string): string {
  return `LEFT JOIN LATERAL (
      SELECT cast_at, is_doubled FROM votes
      WHERE guild_id = $1 AND ${condition} AND cast_at > $3 AND cast_at <= $4
      ORDER BY cast_at DESC, user_id DESC LIMIT 1
    ) AS vote ON true
    ORDER BY position`;
}

/** One row per id, in order. The same indexes as for one, once per id. */
export const MANY_QUERIES = {
  userId: `
    SELECT cast_at, is_doubled FROM unnest($2::text[]) WITH ORDINALITY AS asked (id, position)
    ${latestOf('user_id = asked.id')}`,
  externalId: `
    SELECT cast_at, is_doubled FROM unnest($2::text[], $5::text[]) WITH ORDINALITY AS asked (id, key, position)
    ${latestOf('name_key = asked.key AND external_id = asked.id')}`,
} as const;

/** Index votes_by_seq, read from its end. */
function newestOf(guildId: string): string {
  return `SELECT seq FROM votes WHERE guild_id = ${guildId} AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1`;
}

export const FEED_QUERIES = {
  heads: `
    SELECT asked.guild_id, newest.seq FROM unnest($1::text[]) AS asked (guild_id)
    CROSS JOIN LATERAL (${newestOf('asked.guild_id')}) AS newest`,
  // Indexes votes_by_seq and voided_votes_by_seq, and the primary keys of feed_epochs and vote_sequences. Without votes,
  // one row with the history.
  read: `
    SELECT to_json(ARRAY(SELECT epoch FROM feed_epochs ORDER BY epoch)) AS epochs,
      (SELECT last_seq FROM vote_sequences WHERE guild_id = $1) AS last_seq,
      coalesce(
        (SELECT cast_at FROM votes WHERE guild_id = $1 AND seq = $2),
        (SELECT cast_at FROM voided_votes WHERE guild_id = $1 AND seq = $2)
      ) AS read_at,
      next.*
    FROM (SELECT) AS always LEFT JOIN (
      SELECT guild_id, user_id, cast_at, external_id, is_doubled, seq FROM votes
      WHERE guild_id = $1 AND seq > $2 AND cast_at >= $3 ORDER BY seq LIMIT $4
    ) AS next ON TRUE ORDER BY seq`,
  // The primary key of hourly_votes: the hours since then. If they have no votes, reading starts at the end.
  startAt: `
    SELECT coalesce(min(first_seq) - 1, (${newestOf('$1')}), 0) AS seq
    FROM hourly_votes WHERE guild_id = $1 AND hour >= $2`,
} as const;

type HistoryRow = { epochs: number[]; last_seq: number | null; read_at: number | null };

type FeedRow = HistoryRow & ((VoteRow & { seq: number }) | { seq: null });

/** None for the row that only has the history. */
function toFeedVotes(row: FeedRow): FeedVote[] {
  return row.seq === null ? [] : [{ ...toVote(row), seq: row.seq }];
}

function toHistory(row: HistoryRow | undefined): FeedHistory {
  return { epochs: row?.epochs ?? [], lastSeq: row?.last_seq ?? 0, castAt: row?.read_at ?? null };
}

export function createFeedStore(database: Queryable): FeedStore {
  async function heads(guildIds: readonly string[]): Promise<Map<string, number>> {
    const statement = { name: 'feedHeads', text: FEED_QUERIES.heads, values: [guildIds] };
    const { rows } = await database.query<{ guild_id: string; seq: number }>(statement);
    return new Map(rows.map(({ guild_id, seq }) => [guild_id, seq]));
  }
  return {
    heads,
    changedHeads: heads,
    async read(guildId, afterSeq, from, limit) {
      const values = [guildId, afterSeq, from, limit];
      const statement = { name: 'feedRead', text: FEED_QUERIES.read, values };
      const { rows } = await database.query<FeedRow>(statement);
      return { votes: rows.flatMap(toFeedVotes), history: toHistory(rows[0]) };
    },
    async startAt(guildId, from) {
      const statement = { name: 'feedStart', text: FEED_QUERIES.startAt, values: [guildId, hourOf(from)] };
      const { rows } = await database.query<{ seq: number }>(statement);
      return rows[0]?.seq ?? 0;
    },
  };
}

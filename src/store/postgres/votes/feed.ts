import type { FeedHistory } from '../../../domain/votes/feed.ts';
import { hourOf } from '../../../domain/votes/period.ts';
import type { FeedStore, FeedVote } from '../../votes/feed.ts';
import { toVote, VOTE_COLUMNS, type VoteRow } from '../../votes/votes.ts';
import type { Queryable } from '../connection/connection.ts';

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
      SELECT ${VOTE_COLUMNS}, seq FROM votes
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

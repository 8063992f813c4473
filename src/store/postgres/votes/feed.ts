import { hourOf } from '../../shared/hours.ts';
import type { FeedStore } from '../../votes/feed.ts';
import type { Queryable } from '../connection/connection.ts';
import { toVote, type VoteRow } from './votes.ts';

/** Index votes_by_seq, read from its end. */
function newestOf(guildId: string): string {
  return `SELECT seq FROM votes WHERE guild_id = ${guildId} AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1`;
}

export const FEED_QUERIES = {
  heads: `
    SELECT asked.guild_id, newest.seq FROM unnest($1::text[]) AS asked (guild_id)
    CROSS JOIN LATERAL (${newestOf('asked.guild_id')}) AS newest`,
  // Index votes_by_seq.
  read: `
    SELECT guild_id, user_id, cast_at, external_id, is_doubled, seq FROM votes
    WHERE guild_id = $1 AND seq > $2 AND cast_at >= $3 ORDER BY seq LIMIT $4`,
  // The primary key of hourly_votes: the hours since then. If they have no votes, reading starts at the end.
  startAt: `
    SELECT coalesce(min(first_seq) - 1, (${newestOf('$1')}), 0) AS seq
    FROM hourly_votes WHERE guild_id = $1 AND hour >= $2`,
} as const;

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
      const { rows } = await database.query<VoteRow & { seq: number }>(statement);
      return rows.map((row) => ({ ...toVote(row), seq: row.seq }));
    },
    async startAt(guildId, from) {
      const statement = { name: 'feedStart', text: FEED_QUERIES.startAt, values: [guildId, hourOf(from)] };
      const { rows } = await database.query<{ seq: number }>(statement);
      return rows[0]?.seq ?? 0;
    },
  };
}

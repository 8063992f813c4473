import { DAY_MS } from '../../../domain/clock.ts';
import { dayOf, monthOf } from '../../shared/hours.ts';
import { MAX_RANKED_VOTES, type Standing, type VoteStore } from '../../store.ts';
import type { Queryable } from '../connection.ts';

/** A subquery with LIMIT: PostgreSQL would turn EXISTS into a join that reads all votes of the user. */
const VOTE_ON_DAY = (user: string, day: string) =>
  `SELECT cast_at FROM votes WHERE votes.guild_id = $1 AND user_id = ${user} AND cast_at >= ${day} AND cast_at < ${day} + ${DAY_MS} LIMIT 1`;

/**
 * The number of consecutive UTC days with a vote of the user before the day that starts at `day`. Index votes_by_user,
 * one lookup per day.
 */
export const STREAK_BEFORE = (user: string, day: string) => `
  WITH RECURSIVE streak (day) AS (
    SELECT ${day}
    UNION ALL
    SELECT day - ${DAY_MS} FROM streak WHERE (${VOTE_ON_DAY(user, `(day - ${DAY_MS})`)}) IS NOT NULL
  )
  SELECT count(*) - 1 FROM streak`;

/** Index votes_by_user, and the primary key of monthly_votes. */
export const STANDING_QUERIES = {
  // $3 now, $4 the start of its day, $5 the start of its month.
  totals: `
    SELECT
      (SELECT count(*) FROM votes WHERE guild_id = $1 AND user_id = $2 AND cast_at <= $3) AS "totalVotes",
      (SELECT count(*) FROM votes WHERE guild_id = $1 AND user_id = $2 AND cast_at >= $4 AND cast_at <= $3) > 0 AS "isToday",
      (${STREAK_BEFORE('$2', '$4::bigint')}) AS "daysBefore",
      (SELECT count(*) FROM votes WHERE guild_id = $1 AND user_id = $2 AND cast_at >= $5 AND cast_at <= $3) AS "votesThisMonth",
      coalesce((SELECT votes FROM monthly_votes WHERE guild_id = $1 AND month = $5), 0) AS "ofGuild"`,
} as const;

// The primary key. $3 now, $4 the start of its month, $5 the votes of the user.
export const RANK = `
  SELECT count(*) + 1 AS rank FROM (
    SELECT user_id, count(*) AS votes FROM votes WHERE guild_id = $1 AND cast_at >= $4 AND cast_at <= $3
    GROUP BY user_id
  ) AS voters
  WHERE votes > $5 OR (votes = $5 AND (length(user_id), user_id) < (length($2), $2))`;

type TotalsRow = Pick<Standing, 'totalVotes' | 'votesThisMonth'> & {
  isToday: boolean;
  daysBefore: number;
  ofGuild: number;
};

export function createStanding(database: Queryable): VoteStore['standing'] {
  return async (guildId, userId, now) => {
    const month = monthOf(now);
    const { rows } = await database.query<TotalsRow>({
      name: 'voter-totals',
      text: STANDING_QUERIES.totals,
      values: [guildId, userId, now, dayOf(now), month],
    });
    if (!rows[0]) return { totalVotes: 0, streakDays: 0, votesThisMonth: 0, rank: null };
    const { totalVotes, isToday, daysBefore, votesThisMonth, ofGuild } = rows[0];
    const standing = { totalVotes, streakDays: daysBefore + Number(isToday), votesThisMonth };
    if (votesThisMonth === 0 || ofGuild > MAX_RANKED_VOTES) return { ...standing, rank: null };
    const values = [guildId, userId, now, month, votesThisMonth];
    const ranks = await database.query<{ rank: number }>({ text: RANK, values });
    return { ...standing, rank: ranks.rows[0]?.rank ?? null };
  };
}

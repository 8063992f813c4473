import { DAY_MS } from '../../../domain/clock.ts';
import { dayOf, monthOf } from '../../../domain/votes/period.ts';
import type { Standing } from '../../../domain/votes/standing.ts';
import type { Vote, VoterTotals } from '../../../domain/votes/vote.ts';
import { type CountedRange, planTotals } from '../../votes/totals.ts';
import { MAX_RANKED_VOTES, type VoteStore } from '../../votes/votes.ts';
import { columnsOf } from '../columns.ts';
import type { Queryable } from '../connection/connection.ts';

/** SQL for the ids of a guild and a user. */
type Voter = { guild: string; user: string };

/** A subquery with LIMIT: PostgreSQL would turn EXISTS into a join that reads all votes of the user. */
const VOTE_ON_DAY = ({ guild, user }: Voter, day: string) =>
  `SELECT cast_at FROM votes WHERE votes.guild_id = ${guild} AND votes.user_id = ${user} AND cast_at >= ${day} AND cast_at < ${day} + ${DAY_MS} LIMIT 1`;

/**
 * The number of consecutive UTC days with a vote of the user before the day that starts at `day`. Index votes_by_user,
 * one lookup per day.
 */
const STREAK_BEFORE = (voter: Voter, day: string, isCounted = (_day: string) => 'TRUE') => `
  WITH RECURSIVE streak (day) AS (
    SELECT ${day}
    UNION ALL
    SELECT day - ${DAY_MS} FROM streak
    WHERE ${isCounted(`day - ${DAY_MS}`)} AND (${VOTE_ON_DAY(voter, `(day - ${DAY_MS})`)}) IS NOT NULL
  )
  SELECT count(*) - 1 FROM streak`;

const ASKED_VOTER = { guild: 'asked.guild_id COLLATE "C"', user: 'asked.user_id COLLATE "C"' };

/** Index votes_by_user: the votes of a voter in a range, and those on the day before `today`. */
const COUNTED = ({ guild, user }: Voter, today: string, range: string) => `
    SELECT count(*) AS votes,
      count(*) FILTER (WHERE votes.cast_at >= ${today} - ${DAY_MS} AND votes.cast_at < ${today}) AS of_yesterday
    FROM votes WHERE votes.guild_id = ${guild} AND votes.user_id = ${user} AND ${range}`;

/**
 * Index votes_by_user: a range for the total, and one lookup per day of the streak. The range contains the votes of the day
 * before, unless an earlier vote of the plan was cast on that day or later. Most voters have none on it, so their streak
 * is not looked up.
 */
export const TOTALS = `
  SELECT counted.votes, CASE
      WHEN counted.of_yesterday > 0 AND asked.today - ${DAY_MS} > asked.since_day
      THEN 1 + (${STREAK_BEFORE(ASKED_VOTER, `asked.today - ${DAY_MS}`, (day) => `${day} > asked.since_day`)})
      ELSE 0
    END AS days
  FROM (
    SELECT guild_id, user_id, starts_after, ends_at, place,
      ends_at - ends_at % ${DAY_MS} AS today, starts_after - starts_after % ${DAY_MS} AS since_day
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY
      AS asked (guild_id, user_id, starts_after, ends_at, place)
  ) AS asked
  CROSS JOIN LATERAL (${COUNTED(
    ASKED_VOTER,
    'asked.today',
    'votes.cast_at > asked.starts_after AND votes.cast_at <= asked.ends_at',
  )}) AS counted
  ORDER BY place`;

const FIRST_VOTER = { guild: 'open.guild_id', user: 'open.user_id' };

/**
 * The rows of a query for votes, with the same counts for the first vote of each `place`. The others have no votes.
 * `columns`: those that are returned besides the counts.
 */
export function withTotalsOfFirst(query: string, columns: string): string {
  return `
  SELECT ${columns}, counted.votes, CASE
      WHEN counted.of_yesterday > 0 THEN 1 + (${STREAK_BEFORE(FIRST_VOTER, `open.today - ${DAY_MS}`)}) ELSE 0
    END AS days
  FROM (
    SELECT *, cast_at - cast_at % ${DAY_MS} AS today,
      row_number() OVER (PARTITION BY place ORDER BY cast_at, user_id) = 1 AS is_first
    FROM (${query}) AS open
  ) AS open
  CROSS JOIN LATERAL (${COUNTED(
    FIRST_VOTER,
    'open.today',
    'votes.cast_at <= open.cast_at AND open.is_first',
  )}) AS counted
  ORDER BY place, cast_at, user_id`;
}

/** The totals of the voters at the time of each vote, in one statement. */
export async function readTotals(tx: Queryable, votes: readonly Vote[]): Promise<VoterTotals[]> {
  if (votes.length === 0) return [];
  const { ranges, combine } = planTotals(votes);
  const values = columnsOf(
    ranges.map(({ guildId, userId, after, until }) => [guildId, userId, after, until]),
  );
  const { rows } = await tx.query<CountedRange>({ name: 'vote-totals', text: TOTALS, values });
  return combine(rows);
}

/** Index votes_by_user, and the primary key of monthly_votes. */
export const STANDING_QUERIES = {
  // $3 now, $4 the start of its day, $5 the start of its month.
  totals: `
    SELECT
      (SELECT count(*) FROM votes WHERE guild_id = $1 AND user_id = $2 AND cast_at <= $3) AS "totalVotes",
      (SELECT count(*) FROM votes WHERE guild_id = $1 AND user_id = $2 AND cast_at >= $4 AND cast_at <= $3) > 0 AS "isToday",
      (${STREAK_BEFORE({ guild: '$1', user: '$2' }, '$4::bigint')}) AS "daysBefore",
      (SELECT count(*) FROM votes WHERE guild_id = $1 AND user_id = $2 AND cast_at >= $5 AND cast_at <= $3) AS "votesThisMonth",
      coalesce((SELECT votes FROM monthly_votes WHERE guild_id = $1 AND month = $5), 0) AS "ofGuild"`,
} as const;

/**
 * The primary key, read once. $3 now, $4 the start of its month, $5 the votes of the user. `needed`: the votes with which
 * the user is ahead of each of the others, and the least of them that improves the rank.
 */
export const RANK = `
  WITH voters AS MATERIALIZED (
    SELECT count(*) + CASE WHEN (length(user_id), user_id) < (length($2), $2) THEN 1 ELSE 0 END AS needed
    FROM votes WHERE guild_id = $1 AND cast_at >= $4 AND cast_at <= $3 AND user_id <> $2
    GROUP BY user_id
  ), next AS (SELECT min(needed) AS needed FROM voters WHERE needed > $5::bigint)
  SELECT 1 + (SELECT count(*) FROM voters WHERE needed > $5::bigint) AS rank,
    CASE WHEN $5::bigint > 1 THEN 1 + (SELECT count(*) FROM voters WHERE needed > $5::bigint - 1) END AS "rankBefore",
    next.needed - $5::bigint AS "nextVotes",
    1 + (SELECT count(*) FROM voters WHERE voters.needed > next.needed) AS "nextRank"
  FROM next`;

type TotalsRow = Pick<Standing, 'totalVotes' | 'votesThisMonth'> & {
  isToday: boolean;
  daysBefore: number;
  ofGuild: number;
};

type Ranks = Pick<Standing, 'rank' | 'rankBefore'> & { nextVotes: number | null; nextRank: number };
const NO_RANKS = { rank: null, rankBefore: null, next: null } as const;

export function createStanding(database: Queryable): VoteStore['standing'] {
  return async (guildId, userId, now) => {
    const month = monthOf(now);
    const { rows } = await database.query<TotalsRow>({
      name: 'voter-totals',
      text: STANDING_QUERIES.totals,
      values: [guildId, userId, now, dayOf(now), month],
    });
    if (!rows[0]) return { totalVotes: 0, streakDays: 0, votesThisMonth: 0, ...NO_RANKS };
    const { totalVotes, isToday, daysBefore, votesThisMonth, ofGuild } = rows[0];
    const standing = { totalVotes, streakDays: daysBefore + Number(isToday), votesThisMonth };
    if (votesThisMonth === 0 || ofGuild > MAX_RANKED_VOTES) return { ...standing, ...NO_RANKS };
    const values = [guildId, userId, now, month, votesThisMonth];
    const ranks = await database.query<Ranks>({ text: RANK, values });
    if (!ranks.rows[0]) return { ...standing, ...NO_RANKS };
    const { rank, rankBefore, nextVotes, nextRank } = ranks.rows[0];
    const next = nextVotes === null ? null : { votes: nextVotes, rank: nextRank };
    return { ...standing, rank, rankBefore, next };
  };
}

/** Totals, from stored sums as far as possible. */
import { HOUR_MS } from '../../domain/clock.ts';
import { HALF_HOUR_MS, monthOf, touchedHours, wholeHours } from '../../domain/votes/period.ts';
import type { Database } from '../database.ts';
import type { DailyVotes, MonthlyVotes, VoteStore } from './votes.ts';

type VoteCounts = Pick<VoteStore, 'count' | 'countInMonth' | 'monthly' | 'daily'>;

export function createVoteCounts(database: Database): VoteCounts {
  const sql = prepare(database);
  return {
    async count({ guildId, userId, period }) {
      const { from, to } = period;
      const hours = touchedHours(period);
      const [counted] =
        userId !== null
          ? await sql.countOfUser({ guildId, userId, from, to })
          : to - from <= HALF_HOUR_MS
            ? await sql.count({ guildId, from, to })
            : await sql.countByHours({ guildId, from, to, firstHour: hours.from, endHour: hours.to });
      return counted?.votes ?? 0;
    },
    async countInMonth(guildId, month) {
      return (await sql.countInMonth({ guildId, month: monthOf(month) }))[0]?.votes ?? 0;
    },
    monthly: (guildId, { from, to }) => sql.monthly({ guildId, from, to }),
    daily: (guildId, period) => sql.daily({ guildId, ...wholeHours(period) }),
  };
}

const WITHIN = (from: string, to: string) =>
  `FROM votes WHERE guild_id = @guildId AND cast_at >= ${from} AND cast_at < ${to}`;

/**
 * The votes of an hour outside the period. The shorter side of the hour is counted; if nothing is outside, as in every
 * list that ends now, this takes one index lookup.
 */
const OUTSIDE = (hour: string, outside: [string, string], inside: [string, string]) =>
  `CASE
     WHEN ${outside[1]} - ${outside[0]} <= ${HALF_HOUR_MS} THEN (SELECT count(*) ${WITHIN(...outside)})
     WHEN NOT EXISTS (SELECT 1 ${WITHIN(...outside)}) THEN 0
     ELSE (SELECT votes FROM hourly_votes WHERE guild_id = @guildId AND hour = ${hour})
       - (SELECT count(*) ${WITHIN(...inside)})
   END`;

const [FROM, TO] = ['CAST(@from AS BIGINT)', 'CAST(@to AS BIGINT)'];
const [FIRST_HOUR, END_HOUR] = ['CAST(@firstHour AS BIGINT)', 'CAST(@endHour AS BIGINT)'];

/** Each uses a primary key, except for one user's votes. */
function prepare({ read, dialect: { indexedBy } }: Database) {
  type Counted = { votes: number };
  return {
    // For periods of at most half an hour.
    count: read<Counted>(`SELECT count(*) AS votes ${WITHIN('@from', '@to')}`, 'count'),
    // All hours that overlap the period, minus the votes outside it in the first and last hour.
    countByHours: read<Counted>(
      `SELECT (SELECT coalesce(sum(votes), 0) FROM hourly_votes
               WHERE guild_id = @guildId AND hour >= ${FIRST_HOUR} AND hour < ${END_HOUR})
         - ${OUTSIDE(FIRST_HOUR, [FIRST_HOUR, FROM], [FROM, `${FIRST_HOUR} + ${HOUR_MS}`])}
         - ${OUTSIDE(`${END_HOUR} - ${HOUR_MS}`, [TO, END_HOUR], [`${END_HOUR} - ${HOUR_MS}`, TO])} AS votes`,
      'count-by-hours',
    ),
    // Index votes_by_user.
    countOfUser: read<Counted>(
      `SELECT count(*) AS votes FROM votes ${indexedBy('votes_by_user')}
       WHERE guild_id = @guildId AND user_id = @userId AND cast_at >= @from AND cast_at < @to`,
      'count-of-user',
    ),
    countInMonth: read<Counted>(
      'SELECT votes FROM monthly_votes WHERE guild_id = @guildId AND month = @month',
      'count-in-month',
    ),
    monthly: read<MonthlyVotes>(
      `SELECT month, votes FROM monthly_votes WHERE guild_id = @guildId AND month >= @from AND month < @to
       ORDER BY month`,
      'monthly',
    ),
    daily: read<DailyVotes>(
      `SELECT hour - (hour % 86400000 + 86400000) % 86400000 AS day, sum(votes) AS votes, sum(doubled) AS doubled
       FROM hourly_votes WHERE guild_id = @guildId AND hour >= @from AND hour < @to
       GROUP BY day ORDER BY day`,
      'daily',
    ),
  };
}

import { HOUR_MS, type Instant } from '../../../domain/clock.ts';
import { HALF_HOUR_MS, monthOf, touchedHours, wholeHours } from '../../../domain/votes/period.ts';
import type { DailyVotes, MonthlyVotes, VoteStore } from '../../votes.ts';
import {
  type ListedRow,
  type ListingStore,
  listingTimes,
  toListedGuild,
  type WeeklyVotes,
} from '../../votes.ts';
import type { Queryable } from '../connection/connection.ts';
import { createRankings } from './rankings.ts';

type VoteCounts = Pick<VoteStore, 'count' | 'countInMonth' | 'monthly' | 'daily' | 'topVoters' | 'topNames'>;

const HOUR_VOTES = (hour: string) => `SELECT votes FROM hourly_votes WHERE guild_id = $1 AND hour = ${hour}`;

const WITHIN = (from: string, to: string) =>
  `FROM votes WHERE guild_id = $1 AND cast_at >= ${from} AND cast_at < ${to}`;

/**
 * The votes of an hour outside the period. The shorter side of the hour is counted; if nothing is outside, as in every
 * list that ends now, this takes one index lookup.
 */
const OUTSIDE = (hour: string, outside: [string, string], inside: [string, string]) =>
  `CASE
     WHEN ${outside[1]} - ${outside[0]} <= ${HALF_HOUR_MS} THEN (SELECT count(*) ${WITHIN(...outside)})
     WHEN NOT EXISTS (SELECT ${WITHIN(...outside)}) THEN 0
     ELSE (${HOUR_VOTES(hour)}) - (SELECT count(*) ${WITHIN(...inside)})
   END`;

const [FROM, TO, FIRST_HOUR, END_HOUR] = ['$2::bigint', '$3::bigint', '$4::bigint', '$5::bigint'] as const;

/** Each uses a primary key, except for one user's votes; a test checks the query plans. */
export const COUNT_QUERIES = {
  // For periods of at most half an hour.
  count: `SELECT count(*) AS votes ${WITHIN('$2', '$3')}`,
  // All hours that overlap the period, minus the votes outside it in the first and last hour.
  countByHours: `
    SELECT (SELECT coalesce(sum(votes), 0) FROM hourly_votes
            WHERE guild_id = $1 AND hour >= ${FIRST_HOUR} AND hour < ${END_HOUR})
      - ${OUTSIDE(FIRST_HOUR, [FIRST_HOUR, FROM], [FROM, `${FIRST_HOUR} + ${HOUR_MS}`])}
      - ${OUTSIDE(`${END_HOUR} - ${HOUR_MS}`, [TO, END_HOUR], [`${END_HOUR} - ${HOUR_MS}`, TO])} AS votes`,
  // Index votes_by_user.
  countOfUser: `
    SELECT count(*) AS votes FROM votes
    WHERE guild_id = $1 AND user_id = $2 AND cast_at >= $3 AND cast_at < $4`,
  countInMonth: 'SELECT votes FROM monthly_votes WHERE guild_id = $1 AND month = $2',
  monthly: `
    SELECT month, votes FROM monthly_votes WHERE guild_id = $1 AND month >= $2 AND month < $3
    ORDER BY month`,
  daily: `
    SELECT hour - (hour % 86400000 + 86400000) % 86400000 AS day, sum(votes) AS votes, sum(doubled) AS doubled
    FROM hourly_votes WHERE guild_id = $1 AND hour >= $2 AND hour < $3
    GROUP BY day ORDER BY day`,
} as const;

export function createVoteCounts(database: Queryable): VoteCounts {
  async function number(name: keyof typeof COUNT_QUERIES, ...values: unknown[]): Promise<number> {
    const { rows } = await database.query<{ votes: number }>({ name, text: COUNT_QUERIES[name], values });
    return rows[0]?.votes ?? 0;
  }

  return {
    async count({ guildId, userId, period }) {
      const { from, to } = period;
      if (userId !== null) return number('countOfUser', guildId, userId, from, to);
      if (to - from <= HALF_HOUR_MS) return number('count', guildId, from, to);
      const hours = touchedHours(period);
      return number('countByHours', guildId, from, to, hours.from, hours.to);
    },
    countInMonth: (guildId, month) => number('countInMonth', guildId, monthOf(month)),
    async monthly(guildId, { from, to }) {
      const statement = { name: 'monthly', text: COUNT_QUERIES.monthly, values: [guildId, from, to] };
      return (await database.query<MonthlyVotes>(statement)).rows;
    },
    async daily(guildId, period) {
      const { from, to } = wholeHours(period);
      const statement = { name: 'daily', text: COUNT_QUERIES.daily, values: [guildId, from, to] };
      return (await database.query<DailyVotes>(statement)).rows;
    },
    ...createRankings(database),
  };
}

const LISTED = 'guilds.guild_id > $1 AND sanctioned_at IS NULL AND unlisted_at IS NULL AND hidden_at IS NULL';

/** Primary keys only. */
export const LISTING_QUERIES = {
  // $3 the month.
  read: `
    SELECT guilds.guild_id AS "guildId", guilds.name, name_folded AS folded, icon_version AS icon,
      created_at AS "createdAt", coalesce(months.votes, 0) AS votes,
      coalesce(profiles.tags, '') AS tags, profiles.language
    FROM guilds
    LEFT JOIN monthly_votes AS months ON months.guild_id = guilds.guild_id AND months.month = $3
    LEFT JOIN guild_profiles AS profiles ON profiles.guild_id = guilds.guild_id
    WHERE ${LISTED} ORDER BY guilds.guild_id LIMIT $2`,
  // $3 the start of the week before, $4 the start of this week, $5 its end.
  weeks: `
    SELECT guild_id AS "guildId", coalesce(week, 0) AS week, coalesce(previous, 0) AS "previousWeek" FROM guilds
    CROSS JOIN LATERAL (
      SELECT sum(votes) FILTER (WHERE hour >= $4) AS week, sum(votes) FILTER (WHERE hour < $4) AS previous
      FROM hourly_votes AS hours WHERE hours.guild_id = guilds.guild_id AND hour >= $3 AND hour < $5
    ) AS weeks
    WHERE ${LISTED} ORDER BY guild_id LIMIT $2`,
  lastVotes: `
    SELECT guild_id AS "guildId", last_vote_at AS "lastVoteAt" FROM unnest($2::text[]) AS asked (id)
    JOIN cooldowns ON guild_id = asked.id AND user_id = $1 WHERE last_vote_at > $3`,
} as const;

export function createListingStore(database: Queryable): ListingStore {
  return {
    async read(now, after, limit) {
      const values = [after, limit, monthOf(now)];
      const statement = { name: 'listing', text: LISTING_QUERIES.read, values };
      return (await database.query<ListedRow>(statement)).rows.map(toListedGuild);
    },
    async weeks(now, after, limit) {
      const { previousWeek, week, end } = listingTimes(now);
      const values = [after, limit, previousWeek, week, end];
      return (await database.query<WeeklyVotes>({ name: 'weeks', text: LISTING_QUERIES.weeks, values })).rows;
    },
    async lastVotes(userId, guildIds, after) {
      const values = [userId, guildIds, after];
      const statement = { name: 'last-votes', text: LISTING_QUERIES.lastVotes, values };
      const { rows } = await database.query<{ guildId: string; lastVoteAt: Instant }>(statement);
      return new Map(rows.map(({ guildId, lastVoteAt }) => [guildId, lastVoteAt]));
    },
  };
}

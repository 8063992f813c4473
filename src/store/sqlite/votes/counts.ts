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
import type { Connection, Connections } from '../connection.ts';
import { createRankings } from './rankings.ts';

type VoteCounts = Pick<VoteStore, 'count' | 'countInMonth' | 'monthly' | 'daily' | 'topVoters' | 'topNames'>;

const HOUR_VOTES = (hour: string) =>
  `SELECT votes FROM hourly_votes WHERE guild_id = @guildId AND hour = ${hour}`;

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
     ELSE (${HOUR_VOTES(hour)}) - (SELECT count(*) ${WITHIN(...inside)})
   END`;

/** Each uses a primary key, except for one user's votes; a test checks the query plans. */
export const COUNT_QUERIES = {
  // For periods of at most half an hour.
  count: `SELECT count(*) AS votes ${WITHIN('@from', '@to')}`,
  // All hours that overlap the period, minus the votes outside it in the first and last hour.
  countByHours: `
    SELECT (SELECT coalesce(sum(votes), 0) FROM hourly_votes
            WHERE guild_id = @guildId AND hour >= @firstHour AND hour < @endHour)
      - ${OUTSIDE('@firstHour', ['@firstHour', '@from'], ['@from', `@firstHour + ${HOUR_MS}`])}
      - ${OUTSIDE(`@endHour - ${HOUR_MS}`, ['@to', '@endHour'], [`@endHour - ${HOUR_MS}`, '@to'])} AS votes`,
  countOfUser: `
    SELECT count(*) AS votes FROM votes INDEXED BY votes_by_user
    WHERE guild_id = @guildId AND user_id = @userId AND cast_at >= @from AND cast_at < @to`,
  countInMonth: 'SELECT votes FROM monthly_votes WHERE guild_id = @guildId AND month = @month',
  monthly: `
    SELECT month, votes FROM monthly_votes WHERE guild_id = @guildId AND month >= @from AND month < @to
    ORDER BY month`,
  daily: `
    SELECT hour - (hour % 86400000 + 86400000) % 86400000 AS day, sum(votes) AS votes, sum(doubled) AS doubled
    FROM hourly_votes WHERE guild_id = @guildId AND hour >= @from AND hour < @to
    GROUP BY day ORDER BY day`,
} as const;

export function createVoteCounts(database: Connections): VoteCounts {
  const sql = prepare(database.reader);
  const count: VoteStore['count'] = async ({ guildId, userId, period }) => {
    const { from, to } = period;
    if (userId !== null) return sql.countOfUser.get({ guildId, userId, from, to })?.votes ?? 0;
    if (to - from <= HALF_HOUR_MS) return sql.count.get({ guildId, from, to })?.votes ?? 0;
    const { from: firstHour, to: endHour } = touchedHours(period);
    return sql.countByHours.get({ guildId, from, to, firstHour, endHour })?.votes ?? 0;
  };
  const { topVoters, topNames } = createRankings(database.reader, count);
  return {
    count,
    async countInMonth(guildId, month) {
      return sql.countInMonth.get({ guildId, month: monthOf(month) })?.votes ?? 0;
    },
    async monthly(guildId, { from, to }) {
      return sql.monthly.all({ guildId, from, to });
    },
    async daily(guildId, period) {
      return sql.daily.all({ guildId, ...wholeHours(period) });
    },
    topVoters: (...params) => database.track(topVoters(...params)),
    topNames: (...params) => database.track(topNames(...params)),
  };
}

function prepare(db: Connection) {
  return {
    count: db.prepare<[object], { votes: number }>(COUNT_QUERIES.count),
    countByHours: db.prepare<[object], { votes: number }>(COUNT_QUERIES.countByHours),
    countOfUser: db.prepare<[object], { votes: number }>(COUNT_QUERIES.countOfUser),
    countInMonth: db.prepare<[object], { votes: number }>(COUNT_QUERIES.countInMonth),
    monthly: db.prepare<[object], MonthlyVotes>(COUNT_QUERIES.monthly),
    daily: db.prepare<[object], DailyVotes>(COUNT_QUERIES.daily),
  };
}

const VOTES_WITHIN = (from: string, to: string) =>
  `(SELECT coalesce(sum(votes), 0) FROM hourly_votes AS hours
    WHERE hours.guild_id = guilds.guild_id AND hour >= ${from} AND hour < ${to})`;

const LISTED =
  'guilds.guild_id > @after AND sanctioned_at IS NULL AND unlisted_at IS NULL AND hidden_at IS NULL';

/** Primary keys only. */
export const LISTING_QUERIES = {
  read: `
    SELECT guilds.guild_id AS guildId, guilds.name, name_folded AS folded, icon_version AS icon,
      created_at AS createdAt, coalesce(months.votes, 0) AS votes,
      coalesce(profiles.tags, '') AS tags, profiles.language
    FROM guilds
    LEFT JOIN monthly_votes AS months ON months.guild_id = guilds.guild_id AND months.month = @month
    LEFT JOIN guild_profiles AS profiles ON profiles.guild_id = guilds.guild_id
    WHERE ${LISTED} ORDER BY guilds.guild_id LIMIT @limit + 0`,
  weeks: `
    SELECT guild_id AS guildId, ${VOTES_WITHIN('@week', '@end')} AS week,
      ${VOTES_WITHIN('@previousWeek', '@week')} AS previousWeek
    FROM guilds WHERE ${LISTED} ORDER BY guild_id LIMIT @limit + 0`,
  lastVotes: `
    SELECT guild_id AS guildId, last_vote_at AS lastVoteAt FROM json_each(@guildIds)
    CROSS JOIN cooldowns ON guild_id = value AND user_id = @userId
    WHERE last_vote_at > @after`,
} as const;

export function createListingStore(db: Connection): ListingStore {
  const read = db.prepare<[object], ListedRow>(LISTING_QUERIES.read);
  const weeks = db.prepare<[object], WeeklyVotes>(LISTING_QUERIES.weeks);
  const lastVotes = db.prepare<[object], { guildId: string; lastVoteAt: Instant }>(LISTING_QUERIES.lastVotes);
  return {
    async read(now, after, limit) {
      return read.all({ month: monthOf(now), after, limit }).map(toListedGuild);
    },
    async weeks(now, after, limit) {
      return weeks.all({ ...listingTimes(now), after, limit });
    },
    async lastVotes(userId, guildIds, after) {
      const rows = lastVotes.all({ userId, guildIds: JSON.stringify(guildIds), after });
      return new Map(rows.map(({ guildId, lastVoteAt }) => [guildId, lastVoteAt]));
    },
  };
}

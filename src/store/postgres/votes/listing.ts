import type { Instant } from '../../../domain/clock.ts';
import { monthOf } from '../../shared/hours.ts';
import {
  type ListedRow,
  type ListingStore,
  listingTimes,
  toListedGuild,
  type WeeklyVotes,
} from '../../votes/listing.ts';
import type { Queryable } from '../connection/connection.ts';

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

import type { Instant } from '../../../domain/clock.ts';
import { type ListedRow, type ListingStore, listingTimes, toListedGuild } from '../../listing.ts';
import type { Queryable } from '../connection.ts';

const VOTES_WITHIN = (from: string, to: string) =>
  `(SELECT coalesce(sum(votes), 0) FROM hourly_votes AS hours
    WHERE hours.guild_id = guilds.guild_id AND hour >= ${from} AND hour < ${to})`;

/** Primary keys only. */
export const LISTING_QUERIES = {
  // $3 the month, $4 the start of the week before, $5 the start of this week, $6 its end.
  read: `
    SELECT guilds.guild_id AS "guildId", guilds.name, name_folded AS folded, icon_version AS icon,
      created_at AS "createdAt", coalesce(months.votes, 0) AS votes,
      ${VOTES_WITHIN('$5', '$6')} AS week, ${VOTES_WITHIN('$4', '$5')} AS "previousWeek",
      coalesce(profiles.tags, '') AS tags, profiles.language
    FROM guilds
    LEFT JOIN monthly_votes AS months ON months.guild_id = guilds.guild_id AND months.month = $3
    LEFT JOIN guild_profiles AS profiles ON profiles.guild_id = guilds.guild_id
    WHERE guilds.guild_id > $1 AND sanctioned_at IS NULL AND unlisted_at IS NULL AND hidden_at IS NULL
    ORDER BY guilds.guild_id LIMIT $2`,
  lastVotes: `
    SELECT guild_id AS "guildId", last_vote_at AS "lastVoteAt" FROM unnest($2::text[]) AS asked (id)
    JOIN cooldowns ON guild_id = asked.id AND user_id = $1 WHERE last_vote_at > $3`,
} as const;

export function createListingStore(database: Queryable): ListingStore {
  return {
    async read(now, after, limit) {
      const { month, previousWeek, week, end } = listingTimes(now);
      const values = [after, limit, month, previousWeek, week, end];
      const statement = { name: 'listing', text: LISTING_QUERIES.read, values };
      return (await database.query<ListedRow>(statement)).rows.map(toListedGuild);
    },
    async lastVotes(userId, guildIds, after) {
      const values = [userId, guildIds, after];
      const statement = { name: 'last-votes', text: LISTING_QUERIES.lastVotes, values };
      const { rows } = await database.query<{ guildId: string; lastVoteAt: Instant }>(statement);
      return new Map(rows.map(({ guildId, lastVoteAt }) => [guildId, lastVoteAt]));
    },
  };
}

import type { Instant } from '../../../domain/clock.ts';
import { monthOf } from '../../shared/hours.ts';
import {
  type ListedRow,
  type ListingStore,
  listingTimes,
  toListedGuild,
  type WeeklyVotes,
} from '../../votes/listing.ts';
import type { Connection } from '../connection.ts';

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
    WHERE ${LISTED} ORDER BY guilds.guild_id LIMIT @limit`,
  weeks: `
    SELECT guild_id AS guildId, ${VOTES_WITHIN('@week', '@end')} AS week,
      ${VOTES_WITHIN('@previousWeek', '@week')} AS previousWeek
    FROM guilds WHERE ${LISTED} ORDER BY guild_id LIMIT @limit`,
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

/** The public listing. */
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/clock.ts';
import { type Language, readLanguage } from '../../domain/guild.ts';
import { hourOf, monthOf } from '../../domain/votes/period.ts';
import type { Database } from '../database.ts';

/** A guild with everything that the public listing sorts and filters by. */
export type ListedGuild = {
  guildId: string;
  name: string;
  /** The name for searches and sorting. */
  folded: string;
  /** Has the same values as in `Guild`. */
  icon: string | null;
  createdAt: Instant;
  /** Votes in the UTC month. */
  votes: number;
  tags: readonly string[];
  language: Language | null;
  /** Empty: none. */
  description: string;
};

/** Votes in the last seven days, and in the seven days before, by whole hours. */
export type WeeklyVotes = { guildId: string; week: number; previousWeek: number };

/** What public pages show about many guilds, or about a voter. */
export interface ListingStore {
  /** Guilds of the public listing, ordered by id, starting just after `after`. Votes are from stored sums. */
  read(now: Instant, after: string, limit: number): Promise<ListedGuild[]>;
  /** The votes of two weeks of each listed guild, which take much longer to sum up than the month. */
  weeks(now: Instant, after: string, limit: number): Promise<WeeklyVotes[]>;
  /** When the user last voted for these guilds; only votes after `after`. Voided votes are included. */
  lastVotes(userId: string, guildIds: readonly string[], after: Instant): Promise<Map<string, Instant>>;
}

/** The starts of the current week and of the one before, and the end of the current week. */
function listingTimes(now: Instant) {
  const end = hourOf(now) + HOUR_MS;
  return { week: end - 7 * DAY_MS, previousWeek: end - 14 * DAY_MS, end };
}

type ListedRow = Omit<ListedGuild, 'tags' | 'language'> & { tags: string; language: string | null };

/** One list for all of them: most guilds have no tags. */
const NO_TAGS: readonly string[] = [];

function toListedGuild({ tags, language, ...row }: ListedRow): ListedGuild {
  return { ...row, tags: tags === '' ? NO_TAGS : tags.split(','), language: readLanguage(language) };
}

export function createListingStore(database: Database): ListingStore {
  const sql = prepare(database);
  return {
    async read(now, after, limit) {
      return (await sql.read({ month: monthOf(now), after, limit })).map(toListedGuild);
    },
    weeks: (now, after, limit) => sql.weeks({ ...listingTimes(now), after, limit }),
    async lastVotes(userId, guildIds, after) {
      const rows = await sql.lastVotes({ userId, guildIds, after });
      return new Map(rows.map(({ guildId, lastVoteAt }) => [guildId, lastVoteAt]));
    },
  };
}

const LISTED = `guilds.guild_id > @after AND sanctioned_at IS NULL AND unlisted_at IS NULL AND hidden_at IS NULL`;

const votesWithin = (from: string, to: string) =>
  `(SELECT coalesce(sum(votes), 0) FROM hourly_votes AS hours
    WHERE hours.guild_id = guilds.guild_id AND hour >= ${from} AND hour < ${to})`;

/** Primary keys only. */
function prepare({ read, dialect: { inList } }: Database) {
  return {
    read: read<ListedRow>(
      `SELECT guilds.guild_id AS "guildId", guilds.name, name_folded AS folded, icon_version AS icon,
         created_at AS "createdAt", coalesce(months.votes, 0) AS votes,
         coalesce(profiles.tags, '') AS tags, profiles.language,
         coalesce(profiles.description, '') AS description
       FROM guilds
       LEFT JOIN monthly_votes AS months ON months.guild_id = guilds.guild_id AND months.month = @month
       LEFT JOIN guild_profiles AS profiles ON profiles.guild_id = guilds.guild_id
       WHERE ${LISTED} ORDER BY guilds.guild_id LIMIT @limit + 0`,
      'listing',
    ),
    weeks: read<WeeklyVotes>(
      `SELECT guild_id AS "guildId", ${votesWithin('@week', '@end')} AS week,
         ${votesWithin('@previousWeek', '@week')} AS "previousWeek"
       FROM guilds WHERE ${LISTED} ORDER BY guild_id LIMIT @limit + 0`,
      'weeks',
    ),
    lastVotes: read<{ guildId: string; lastVoteAt: Instant }>(
      `SELECT guild_id AS "guildId", last_vote_at AS "lastVoteAt" FROM cooldowns
       WHERE guild_id ${inList('@guildIds')} AND user_id = @userId AND last_vote_at > @after`,
      'last-votes',
    ),
  };
}

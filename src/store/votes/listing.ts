/** What public pages show about many guilds, or about a voter. */
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/clock.ts';
import { type Language, readLanguage } from '../../domain/guild.ts';
import type { VoterTotals } from '../../domain/votes/vote.ts';
import { hourOf } from '../shared/hours.ts';

/** A guild with everything that the public listing sorts and filters by. */
export type ListedGuild = {
  guildId: string;
  name: string;
  /** The name for searches and sorting. */
  folded: string;
  /** As in `Guild`. */
  icon: string | null;
  createdAt: Instant;
  /** Votes in the UTC month. */
  votes: number;
  tags: readonly string[];
  language: Language | null;
};

/** Votes in the last seven days, and in the seven days before, by whole hours. */
export type WeeklyVotes = { guildId: string; week: number; previousWeek: number };

export interface ListingStore {
  /** Guilds of the public listing, ordered by id, starting just after `after`. Votes are from stored sums. */
  read(now: Instant, after: string, limit: number): Promise<ListedGuild[]>;
  /** The same guilds with their votes of two weeks, which takes much longer to sum up. */
  weeks(now: Instant, after: string, limit: number): Promise<WeeklyVotes[]>;
  /** When the user last voted for these guilds; only votes after `after`. Voided votes are included. */
  lastVotes(userId: string, guildIds: readonly string[], after: Instant): Promise<Map<string, Instant>>;
}

/**
 * `rank` is the user's place among the voters of the current UTC month, in the order of `topVoters`; `rankBefore` is
 * the place without the user's newest vote. Both are null without votes this month (or before the newest one), and for
 * guilds with more than MAX_RANKED_VOTES votes in it.
 */
export type Standing = VoterTotals & {
  votesThisMonth: number;
  rank: number | null;
  rankBefore: number | null;
};

/** A rank reads all votes of the month, so it is not computed for more than this. */
export const MAX_RANKED_VOTES = 20_000;

/** The starts of the current week and of the one before, and the end of the current week. */
export function listingTimes(now: Instant) {
  const end = hourOf(now) + HOUR_MS;
  return { week: end - 7 * DAY_MS, previousWeek: end - 14 * DAY_MS, end };
}

/** A row of the listing as both databases return it. */
export type ListedRow = Omit<ListedGuild, 'tags' | 'language'> & { tags: string; language: string | null };

export function toListedGuild({ tags, language, ...row }: ListedRow): ListedGuild {
  return { ...row, tags: tags === '' ? [] : tags.split(','), language: readLanguage(language) };
}

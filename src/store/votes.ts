/** Casting, reading, importing and exporting votes. */
import { DAY_MS, HOUR_MS, type Instant } from '../domain/clock.ts';
import { type Language, readLanguage } from '../domain/guild.ts';
import type { Ban } from '../domain/votes/bans.ts';
import type { FeedHistory } from '../domain/votes/feed.ts';
import type { Period } from '../domain/votes/period.ts';
import { hourOf } from '../domain/votes/period.ts';
import type { RecentVote, RecentWindow } from '../domain/votes/vote.ts';
import {
  type ListedVote,
  positionOf,
  type Vote,
  type VotePosition,
  type VoterTotals,
} from '../domain/votes/vote.ts';

export type CastOutcome =
  | { kind: 'accepted'; vote: Vote }
  /** The user voted less than an hour before. */
  | { kind: 'cooldown'; lastVoteAt: Instant }
  /** The user may not vote at all. */
  | { kind: 'banned'; ban: Ban }
  /** More accounts than `maxAccounts` would have voted from the network within an hour. */
  | { kind: 'crowded' };

/** What is known about the voter. */
export type CastEvidence = {
  /** Bits of MARK_BITS, in addition to those that the store determines: `busy_network` and `shared_name`. */
  marks: number;
  /** The vote is marked from `busyFrom` accounts on. Null: the origin of the vote is not counted. */
  network: CastNetwork | null;
};

/**
 * `hash` is stored with the vote. `wider` networks around it are counted too, the smallest first, with a weight: so
 * many accounts count as one. A vote that a wider network refuses has been counted for the smaller ones.
 */
export type CastNetwork = {
  hash: string;
  maxAccounts: number;
  busyFrom: number;
  wider?: readonly CountedNetwork[];
};

export type CountedNetwork = { hash: string; weight: number };

/** All networks that a vote is counted for, the smallest first. */
export function countedNetworks({ hash, wider = [] }: CastNetwork): CountedNetwork[] {
  return [{ hash, weight: 1 }, ...wider];
}

export const NO_EVIDENCE: CastEvidence = { marks: 0, network: null };

/** Which votes a list contains: those of a guild, or of one user in it, within a period. */
export type VoteFilter = { guildId: string; userId: string | null; period: Period };

/** `skipped` counts existing votes: same guild, user and millisecond. */
/** `skipped` votes existed already. Their claims are added if they have none. */
export type ImportResult = { imported: number; skipped: number };

/** A vote of an import. With `claimedAt` it is claimed, so that it is not rewarded again. */
export type ImportedVote = Vote & { claimedAt?: Instant | null };

export interface VoteStore {
  /**
   * Stores the vote unless its user is banned or voted for this guild less than an hour before. The database decides:
   * of many concurrent votes, from any number of processes, exactly one is accepted. The events of the guild's
   * webhooks and the voter's next reminder are written with the vote or not at all. Marks and network are stored with
   * the vote. Of many concurrent votes from one network, no more are accepted than its account limit allows. Rejects
   * with `UnknownGuildError` if the guild is not listed.
   */
  cast(vote: Vote, evidence?: CastEvidence): Promise<CastOutcome>;
  /** The latest vote of a user inside the window. */
  latestOfUser(guildId: string, userId: string, window: RecentWindow): Promise<Vote | undefined>;
  /** The latest vote under this external id, by any user, inside the window. Compared exactly. */
  latestOfExternalId(guildId: string, externalId: string, window: RecentWindow): Promise<Vote | undefined>;
  /**
   * The latest vote of each user, or under each external id, inside the window; in the order of `ids`, in one query.
   */
  latestOfMany(
    guildId: string,
    kind: 'userId' | 'externalId',
    ids: readonly string[],
    window: RecentWindow,
  ): Promise<(RecentVote | undefined)[]>;
  /** At most `limit` votes by position, starting just after `after` (from the start when null). */
  page(filter: VoteFilter, after: VotePosition | null, limit: number): Promise<Vote[]>;
  /** The same votes, with only the fields of the list. */
  list(filter: VoteFilter, after: VotePosition | null, limit: number): Promise<ListedVote[]>;
  count(filter: VoteFilter): Promise<number>;
  /** Votes of the guild in the UTC month that starts at `month`, from a stored sum. */
  countInMonth(guildId: string, month: Instant): Promise<number>;
  /** Votes per UTC month that starts in the period, in order, without empty months, from stored sums. */
  monthly(guildId: string, period: Period): Promise<MonthlyVotes[]>;
  /** Votes per UTC day in the period, in order, without empty days. Only whole hours of the period are counted. */
  daily(guildId: string, period: Period): Promise<DailyVotes[]>;
  /** The top voters of the period: more votes first, then the smaller user id. */
  topVoters(guildId: string, period: Period, limit: number): Promise<Voter[]>;
  /**
   * The external ids with the most votes in the period, case-insensitive, in the spelling used last; more votes
   * first, then by name.
   */
  topNames(guildId: string, period: Period, limit: number): Promise<NamedVoter[]>;
  /** The totals, streak and rank of a user in a guild at `now`. Voided votes do not count; imported ones do. */
  standing(guildId: string, userId: string, now: Instant): Promise<Standing>;
  /** Newest votes first, starting just before `before`; of one user when `userId` is given. */
  recent(guildId: string, userId: string | null, before: VotePosition | null, limit: number): Promise<Vote[]>;
  /**
   * Votes under a case-insensitive name (made by `foldExternalId`): newest first starting just before a position
   * (null for the newest), or oldest first starting just after one.
   */
  ofName(guildId: string, foldedName: string, from: NamePosition, limit: number): Promise<Vote[]>;
  /**
   * Writes history: no cooldown applies, but a vote in the hour before `now` starts one. Imports all batches, or none
   * if reading them throws or a vote names an unknown guild (`UnknownGuildError`). A claim is never removed or changed.
   */
  import(batches: AsyncIterable<ImportedVote[]>, now: Instant): Promise<ImportResult>;
  /** All votes of a guild in the period, in order, streamed. */
  export(guildId: string, period: Period): AsyncIterable<Vote>;
}

export type NamePosition = { before: VotePosition | null } | { after: VotePosition };

export type DailyVotes = { day: Instant; votes: number; doubled: number };

/** `month` is its first instant. */
export type MonthlyVotes = { month: Instant; votes: number };

export type Voter = { userId: string; votes: number };

export type NamedVoter = { name: string; votes: number };

/**
 * The position just before a page. No user id is empty, so the empty one sorts before every vote of the first
 * millisecond of the period, and the first page uses the same query as all others.
 */
export function pageStart(period: Period, after: VotePosition | null): VotePosition {
  const start = { castAt: period.from, userId: '' };
  return after && after.castAt >= period.from ? after : start;
}

/** The position after the newest votes: no vote is as late as the default. */
export function beforeOrNewest(before: VotePosition | null): VotePosition {
  return before ?? { castAt: Number.MAX_SAFE_INTEGER, userId: '' };
}

const PAGE_SIZE = 1000;

/**
 * Streams the votes of a guild, or of one user in it, page by page. No transaction or cursor stays open between
 * pages, so a slow reader blocks nothing in the database.
 */
export async function* exportVotes(
  page: VoteStore['page'],
  guildId: string,
  period: Period,
  userId: string | null = null,
): AsyncGenerator<Vote> {
  let after: VotePosition | null = null;
  let votes: Vote[];
  do {
    votes = await page({ guildId, userId, period }, after, PAGE_SIZE);
    yield* votes;
    const last = votes.at(-1);
    if (last) after = positionOf(last);
  } while (votes.length === PAGE_SIZE);
}

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

/** What public pages show about many guilds, or about a voter. */
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

export type FeedVote = Vote & { seq: number };

export type FeedRead = { votes: FeedVote[]; history: FeedHistory };

/**
 * Lists votes in the order they were accepted. Each accepted vote has a number within its guild and becomes visible
 * only after every vote with a smaller number, so a reader that continues after the last number gets each vote once,
 * whichever process accepted it. Imported votes have no number.
 *
 *   let seq = await store.feed.startAt(guildId, from);
 *   const { votes } = await store.feed.read(guildId, seq, from, 100);
 *   seq = votes.at(-1)?.seq ?? seq;
 */
export interface FeedStore {
  /** The number of the latest vote of each guild, in one query. Guilds without accepted votes are missing. */
  heads(guildIds: readonly string[]): Promise<Map<string, number>>;
  /** The same for a caller that polls. Empty if the database can tell that nothing was written since the last call. */
  changedHeads(guildIds: readonly string[]): Promise<Map<string, number>>;
  /**
   * The next votes after the number, in order, without those cast before `from`, and what is known about a reader who
   * is after that number. Voided votes keep their numbers.
   */
  read(guildId: string, afterSeq: number, from: Instant, limit: number): Promise<FeedRead>;
  /**
   * A number to read after, so that no vote cast at `from` or later is missed. It may be up to an hour of votes too
   * early; `read` leaves those out.
   */
  startAt(guildId: string, from: Instant): Promise<number>;
}

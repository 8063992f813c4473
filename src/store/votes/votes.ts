/** Casting, reading, importing and exporting votes. */
import type { Instant } from '../../domain/clock.ts';
import type { Ban } from '../../domain/votes/bans.ts';
import type { Period } from '../../domain/votes/period.ts';
import type { Standing } from '../../domain/votes/standing.ts';
import {
  type ListedVote,
  type RecentVote,
  type RecentWindow,
  type Vote,
  type VotePosition,
  type VoterTotals,
  voteId,
} from '../../domain/votes/vote.ts';

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

export type Cast = { vote: Vote; evidence: CastEvidence };

export const NO_EVIDENCE: CastEvidence = { marks: 0, network: null };

/** Which votes a list contains: those of a guild, or of one user in it, within a period. */
export type VoteFilter = { guildId: string; userId: string | null; period: Period };

/** `skipped` votes existed already: same guild, user and millisecond. Their claims are added if they have none. */
export type ImportResult = { imported: number; skipped: number };

/** A vote of an import. With `claimedAt` it is claimed by `default`, and with `claims` by others: not rewarded again. */
export type ImportedVote = Vote & { claimedAt?: Instant | null; claims?: Readonly<Record<string, Instant>> };

/** The claims of consumers other than `default`: guild, time and user of the vote, consumer, vote id, time of the claim. */
export function namedClaims(
  votes: readonly ImportedVote[],
): [string, Instant, string, string, string, Instant][] {
  return votes.flatMap((vote) =>
    Object.entries(vote.claims ?? {}).map(([consumer, claimedAt]) => [
      ...([vote.guildId, vote.castAt, vote.userId] as const),
      ...([consumer, voteId(vote), claimedAt] as const),
    ]),
  );
}

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
  /** What `use` returns for the votes of `page`, which have only the fields that the list of the API shows. */
  list<Used>(
    filter: VoteFilter,
    after: VotePosition | null,
    limit: number,
    use: (votes: ListedVote[]) => Used,
  ): Promise<Used>;
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
  /** The totals of the voter at the time of each of these votes of one guild, in the same order, in few queries. */
  totalsOf(votes: readonly Vote[]): Promise<VoterTotals[]>;
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

/** A rank reads all votes of the month, so it is not computed for more than this. */
export const MAX_RANKED_VOTES = 20_000;

export type VoteRow = {
  guild_id: string;
  user_id: string;
  cast_at: Instant;
  external_id: string | null;
  is_doubled: boolean | number;
};

export function toVote(row: VoteRow): Vote {
  return {
    guildId: row.guild_id,
    userId: row.user_id,
    castAt: row.cast_at,
    externalId: row.external_id,
    isDoubled: Boolean(row.is_doubled),
  };
}

/** The columns that `toVote` reads. */
export const VOTE_COLUMNS = 'guild_id, user_id, cast_at, external_id, is_doubled';

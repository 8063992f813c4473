/**
 * What Votary requires of a database. Two backends implement it under the same file names; one contract suite
 * (test/store/contract.ts) tests both.
 *
 *   const store = await openStore(config.database);   // migrated and ready
 *   await store.guilds.add({ guildId, name, createdAt });
 *   const outcome = await store.votes.cast(vote);
 *   await store.close();
 *
 * Every change is visible to the next call of any process that shares the database.
 */
import type { Instant } from '../domain/clock.ts';
import type { Guild, Sanction } from '../domain/guild.ts';
import type { RateLimit, RateWindow } from '../domain/rate-window.ts';
import type { RecentVote, RecentWindow } from '../domain/votes/cooldown.ts';
import type { Ban } from '../domain/votes/integrity.ts';
import type { Period } from '../domain/votes/period.ts';
import type { DoublingRule, ListedVote, Vote, VotePosition } from '../domain/votes/vote.ts';
import type { ActivityStore } from './activities.ts';
import type { ClaimStore } from './claims.ts';
import type { FeedStore } from './feed.ts';
import type { ListingStore, Standing } from './listing.ts';
import type { AuditStore } from './moderation/audit.ts';
import type { IntegrityStore } from './moderation/integrity.ts';
import type { ModerationStore } from './moderation/moderation.ts';
import type { OperatorStore } from './moderation/operator.ts';
import type { UnusualStore } from './moderation/unusual.ts';
import type { ProfileStore } from './profiles.ts';
import type { ReminderStore } from './reminders.ts';
import type { UserStore } from './users.ts';
import type { WebhookStore } from './webhooks/store.ts';

/**
 * The database cannot be opened. The message is one line that says what happened and what to do, without passwords.
 */
export class StoreOpenError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreOpenError';
  }
}

/** A vote names a guild that is not listed. */
export class UnknownGuildError extends Error {
  readonly guildId: string;

  constructor(guildId: string) {
    super(`the guild ${guildId} is not listed`);
    this.name = 'UnknownGuildError';
    this.guildId = guildId;
  }
}

export interface Store {
  readonly guilds: GuildStore;
  readonly profiles: ProfileStore;
  readonly listing: ListingStore;
  readonly votes: VoteStore;
  readonly rates: RateStore;
  readonly activities: ActivityStore;
  readonly users: UserStore;
  readonly webhooks: WebhookStore;
  readonly claims: ClaimStore;
  readonly feed: FeedStore;
  readonly reminders: ReminderStore;
  readonly integrity: IntegrityStore;
  readonly moderation: ModerationStore;
  readonly audit: AuditStore;
  readonly fingerprint: FingerprintStore;
  readonly operator: OperatorStore;
  readonly unusual: UnusualStore;
  /**
   * Everything an API request needs before its handler runs: finds the guild of a key, counts the request and looks
   * up one vote. Rejects when the database does not respond; then nothing is counted.
   */
  admit(lookup: RequestLookup): Promise<Admission>;
  /** Resolves when the database answers and takes writes (on SQLite: answers); rejects when it does not. */
  ping(): Promise<void>;
  /** What the database is doing right now, from memory. */
  load(): DatabaseLoad;
  /** Waits for work in progress, then closes the database. */
  close(): Promise<void>;
}

export type DatabaseLoad = {
  /** Queries that wait for a connection; on SQLite, writes that wait for their turn. */
  waiting: number;
  /** The connections of this process. Null on SQLite. */
  pool: { size: number; used: number; idle: number } | null;
};

/** `query`: one statement. `transaction`: several, and every write on SQLite. */
export type QueryKind = 'query' | 'transaction';

/** Called after every query; the time includes the wait for a connection. Reads on SQLite are not reported. */
export type QueryObserver = (kind: QueryKind, durationMs: number, hasFailed: boolean) => void;

/**
 * Counts the request under `rateKey` if the key belongs to a guild that is not sanctioned, otherwise under
 * `fallbackRateKey`.
 */
export type RequestLookup = {
  keyHash: string;
  rateKey: string;
  fallbackRateKey: string;
  limit: RateLimit;
  now: Instant;
  voteQuery: VoteQuery | null;
};

/** The latest vote of a user, or under a storable external id, inside the window. */
export type VoteQuery = ({ userId: string } | { externalId: string }) & { window: RecentWindow };

export type Admission = { guild: Guild | undefined; window: RateWindow; vote: RecentVote | undefined };

export type NewGuild = Pick<Guild, 'guildId' | 'name' | 'createdAt'>;

/** A stored key: the hash finds its guild, the encrypted text can be shown to an admin. */
export type StoredKey = { hash: string; sealed: string; createdAt: Instant };

export interface GuildStore {
  /** Returns false, without changes, if the guild is listed already. */
  add(guild: NewGuild): Promise<boolean>;
  /** All guilds, ordered by id. */
  list(): Promise<Guild[]>;
  find(guildId: string): Promise<Guild | undefined>;
  /** The guild of this key, sanctioned or not. */
  findByKeyHash(hash: string): Promise<Guild | undefined>;
  /** Deletes the guild with its key and all its votes. Returns false if the guild does not exist. */
  remove(guildId: string): Promise<boolean>;
  /** Replaces the key; the previous one stops working immediately. `null` leaves the guild without a key. */
  setKey(guildId: string, key: StoredKey | null): Promise<boolean>;
  /** The stored key; `undefined` when the guild has none. */
  findKey(guildId: string): Promise<StoredKey | undefined>;
  rename(guildId: string, name: string): Promise<boolean>;
  /** Removes the guild from `ranking`, or restores it with null. Nothing else changes. */
  setUnlisted(guildId: string, since: Instant | null): Promise<boolean>;
  /** The same for its admins: a guild is in `ranking` if neither they nor the operator have removed it. */
  setHidden(guildId: string, since: Instant | null): Promise<boolean>;
  setPremiumUntil(guildId: string, until: Instant | null): Promise<boolean>;
  setSanction(guildId: string, sanction: Sanction | null): Promise<boolean>;
  setDoubling(guildId: string, rule: DoublingRule): Promise<boolean>;
  setOneRewardPerName(guildId: string, isOn: boolean): Promise<boolean>;
  /**
   * Guilds that are neither sanctioned, unlisted nor hidden, most votes in the UTC month first, then by name; `search`
   * matches names.
   */
  ranking(month: Instant, page: RankingPage): Promise<RankedGuild[]>;
}

export type RankingPage = { search: string; limit: number; offset: number };

/** `icon`: as in `Guild`. */
export type RankedGuild = { guildId: string; name: string; icon: string | null; votes: number };

/** `ban`: the user may not vote at all. */
export type CastOutcome =
  | { accepted: true; vote: Vote }
  | { accepted: false; lastVoteAt: Instant; ban?: undefined; isCrowded?: undefined }
  | { accepted: false; ban: Ban; isCrowded?: undefined }
  /** More accounts than `maxAccounts` would have voted from the network within an hour. */
  | { accepted: false; isCrowded: true; ban?: undefined };

/** What is known about the voter. */
export type CastEvidence = {
  /** Bits of MARK_BITS, in addition to those that the store determines: `busy_network` and `shared_name`. */
  marks: number;
  /** The vote is marked from `busyFrom` accounts on. Null: the origin of the vote is not counted. */
  network: { hash: string; maxAccounts: number; busyFrom: number } | null;
};

export const NO_EVIDENCE: CastEvidence = { marks: 0, network: null };

/** Which votes a list contains: those of a guild, or of one user in it, within a period. */
export type VoteFilter = { guildId: string; userId: string | null; period: Period };

/** `skipped` counts existing votes: same guild, user and millisecond. */
export type ImportResult = { imported: number; skipped: number };

export interface VoteStore {
  /**
   * Stores the vote unless its user is banned or voted for this guild less than an hour before. The database decides:
   * of many concurrent votes, from any number of processes, exactly one is accepted. The events of the guild's
   * webhooks and the voter's next reminder are written with the vote or not at all. Marks and network are stored with the vote. Of many concurrent
   * votes from one network, no more are accepted than its account limit allows. Rejects with `UnknownGuildError` if
   * the guild is not listed.
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
  /** What a user has done for a guild until `now`: voided votes do not count, imported ones do. */
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
   * if reading them throws or a vote names an unknown guild (`UnknownGuildError`).
   */
  import(batches: AsyncIterable<Vote[]>, now: Instant): Promise<ImportResult>;
  /** All votes of a guild in the period, in order, streamed. */
  export(guildId: string, period: Period): AsyncIterable<Vote>;
}

/** The master secret that the encrypted values of the database belong to. */
export interface FingerprintStore {
  /** `undefined` before the first start. */
  find(): Promise<string | undefined>;
  /** Stores it unless there is one already, and returns the stored one. */
  keep(fingerprint: string): Promise<string>;
  replace(fingerprint: string): Promise<void>;
}

export type NamePosition = { before: VotePosition | null } | { after: VotePosition };

export type DailyVotes = { day: Instant; votes: number; doubled: number };

/** `month` is its first instant. */
export type MonthlyVotes = { month: Instant; votes: number };

export type Voter = { userId: string; votes: number };

export type NamedVoter = { name: string; votes: number };

export interface RateStore {
  /**
   * Counts one request under this key and returns its window. Counting may stop above the limit; the window still
   * shows that. Never rejects: when the shared counter is unavailable, this process counts on its own.
   */
  hit(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow>;
}

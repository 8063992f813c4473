/**
 * What Votary asks of a database. Two backends implement it, file by file under the same names; one contract
 * suite (test/store/contract.ts) holds both to these sentences.
 *
 *   const store = await openStore(config.database);   // migrated and ready
 *   await store.guilds.add({ guildId, name, createdAt });
 *   const outcome = await store.votes.cast(vote);
 *   await store.close();
 *
 * Every change is seen by the next call of any process that shares the database.
 */
import type { Instant } from '../domain/clock.ts';
import type { Guild, Sanction } from '../domain/guild.ts';
import type { RateLimit, RateWindow } from '../domain/rate-window.ts';
import type { RecentVote, RecentWindow } from '../domain/votes/cooldown.ts';
import type { Period } from '../domain/votes/period.ts';
import type { Ban } from '../domain/votes/voiding.ts';
import type { DoublingRule, ListedVote, Vote, VotePosition } from '../domain/votes/vote.ts';
import type { ActivityStore } from './activities.ts';
import type { AuditStore } from './audit.ts';
import type { ClaimStore } from './claims.ts';
import type { FeedStore } from './feed.ts';
import type { IntegrityStore } from './integrity.ts';
import type { ModerationStore } from './moderation.ts';
import type { WebhookStore } from './webhooks/store.ts';

/** The database cannot be opened. The message is one line: what happened and what to do, and never a password. */
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
  readonly votes: VoteStore;
  readonly rates: RateStore;
  readonly activities: ActivityStore;
  readonly webhooks: WebhookStore;
  readonly claims: ClaimStore;
  readonly feed: FeedStore;
  readonly integrity: IntegrityStore;
  readonly moderation: ModerationStore;
  readonly audit: AuditStore;
  readonly fingerprint: FingerprintStore;
  /**
   * Everything a request to the API needs before its handler runs: finds the guild of a key, counts the request and
   * looks for one vote. Rejects when the database does not answer; then nothing is counted.
   */
  admit(lookup: RequestLookup): Promise<Admission>;
  /** Resolves when the database answers; rejects when it does not. */
  ping(): Promise<void>;
  /** Waits for what is under way, then lets go of the database. */
  close(): Promise<void>;
}

/** The request is counted under `rateKey` when the key opens a guild that is not sanctioned, else under `fallbackRateKey`. */
export type RequestLookup = {
  keyHash: string;
  rateKey: string;
  fallbackRateKey: string;
  limit: RateLimit;
  now: Instant;
  voteQuery: VoteQuery | null;
};

/** The newest vote of a user, or under an external id that can be stored, inside the window. */
export type VoteQuery = ({ userId: string } | { externalId: string }) & { window: RecentWindow };

export type Admission = { guild: Guild | undefined; window: RateWindow; vote: RecentVote | undefined };

export type NewGuild = Pick<Guild, 'guildId' | 'name' | 'createdAt'>;

/** A key as it is kept: the hash finds its guild, the sealed text can be shown to an admin. */
export type StoredKey = { hash: string; sealed: string; createdAt: Instant };

export interface GuildStore {
  /** `false`, with nothing changed, when the guild is listed already. */
  add(guild: NewGuild): Promise<boolean>;
  /** All guilds, ordered by id. */
  list(): Promise<Guild[]>;
  find(guildId: string): Promise<Guild | undefined>;
  /** The guild that this key opens now, sanctioned or not. */
  findByKeyHash(hash: string): Promise<Guild | undefined>;
  /** Deletes the guild with its key and all its votes. `false` when there is no such guild. */
  remove(guildId: string): Promise<boolean>;
  /** Puts a key in the place of the one before, which stops at once; `null` leaves the guild without one. */
  setKey(guildId: string, key: StoredKey | null): Promise<boolean>;
  /** The key as it is kept; `undefined` when the guild has none. */
  findKey(guildId: string): Promise<StoredKey | undefined>;
  rename(guildId: string, name: string): Promise<boolean>;
  /** Takes the guild out of `ranking`, or with null puts it back. Nothing else changes. */
  setUnlisted(guildId: string, since: Instant | null): Promise<boolean>;
  setPremiumUntil(guildId: string, until: Instant | null): Promise<boolean>;
  setSanction(guildId: string, sanction: Sanction | null): Promise<boolean>;
  setDoubling(guildId: string, rule: DoublingRule): Promise<boolean>;
  setOneRewardPerName(guildId: string, isOn: boolean): Promise<boolean>;
  /** Guilds that are neither sanctioned nor unlisted, most votes in the UTC month first, then by name; `search` looks into names. */
  ranking(month: Instant, page: RankingPage): Promise<RankedGuild[]>;
}

export type RankingPage = { search: string; limit: number; offset: number };

export type RankedGuild = { guildId: string; name: string; votes: number };

/** `ban`: the user may not vote at all. */
export type CastOutcome =
  | { accepted: true; vote: Vote }
  | { accepted: false; lastVoteAt: Instant; ban?: undefined; isCrowded?: undefined }
  | { accepted: false; ban: Ban; isCrowded?: undefined }
  /** More accounts than `maxAccounts` would have voted from the network within an hour. */
  | { accepted: false; isCrowded: true; ban?: undefined };

/** What is known of whoever casts a vote. */
export type CastEvidence = {
  /** Bits of MARK_BITS, beside those that the store finds out itself: `busy_network` and `shared_name`. */
  marks: number;
  /** From `busyFrom` accounts on, the vote is marked. Null: the vote came from nowhere that can be counted. */
  network: { hash: string; maxAccounts: number; busyFrom: number } | null;
};

export const NO_EVIDENCE: CastEvidence = { marks: 0, network: null };

/** Which votes a list holds: those of a guild, or of one user in it, within a period. */
export type VoteFilter = { guildId: string; userId: string | null; period: Period };

/** `skipped` counts votes that were there already: same guild, user and millisecond. */
export type ImportResult = { imported: number; skipped: number };

export interface VoteStore {
  /**
   * Keeps the vote unless its user is banned or voted for this guild less than an hour before it. The database decides,
   * under any concurrency and from any number of processes: of many votes at once exactly one is accepted.
   * The events of the guild's webhooks are written with the vote, or not at all.
   * Marks and network are stored with the vote. Of many votes at once from one network no more are accepted than its
   * accounts allow.
   * Rejects with `UnknownGuildError` when the guild is not listed.
   */
  cast(vote: Vote, evidence?: CastEvidence): Promise<CastOutcome>;
  /** The newest vote of a user inside the window. */
  latestOfUser(guildId: string, userId: string, window: RecentWindow): Promise<Vote | undefined>;
  /** The newest vote cast under this external id, whoever cast it, inside the window. Compared exactly. */
  latestOfExternalId(guildId: string, externalId: string, window: RecentWindow): Promise<Vote | undefined>;
  /** The newest vote of each user, or under each external id, inside the window; in the order of `ids`, in one query. */
  latestOfMany(
    guildId: string,
    kind: 'userId' | 'externalId',
    ids: readonly string[],
    window: RecentWindow,
  ): Promise<(RecentVote | undefined)[]>;
  /** At most `limit` votes in the order of their position, from just after `after` (from the start when null). */
  page(filter: VoteFilter, after: VotePosition | null, limit: number): Promise<Vote[]>;
  /** The same votes, without what lists do not say. */
  list(filter: VoteFilter, after: VotePosition | null, limit: number): Promise<ListedVote[]>;
  count(filter: VoteFilter): Promise<number>;
  /** Votes of the guild in the UTC month that starts at `month`: kept as a sum, so it costs one look-up. */
  countInMonth(guildId: string, month: Instant): Promise<number>;
  /** Votes of each UTC day in the period that has any, in order. Only whole hours of the period are looked at. */
  daily(guildId: string, period: Period): Promise<DailyVotes[]>;
  /** Who voted most in the period; more votes first, then the smaller user id. */
  topVoters(guildId: string, period: Period, limit: number): Promise<Voter[]>;
  /**
   * The external ids under which most votes of the period were cast, without their case, in the spelling used last;
   * more votes first, then by name.
   */
  topNames(guildId: string, period: Period, limit: number): Promise<NamedVoter[]>;
  /** The newest votes first, from just before `before`; of one user when `userId` is given. */
  recent(guildId: string, userId: string | null, before: VotePosition | null, limit: number): Promise<Vote[]>;
  /**
   * Votes under a name whose case does not matter (`foldExternalId` makes it): newest first from just before a position,
   * null for the newest, or oldest first from just after one.
   */
  ofName(guildId: string, foldedName: string, from: NamePosition, limit: number): Promise<Vote[]>;
  /**
   * Writes history: no cooldown is applied, but a vote of the last hour before `now` starts one. All batches
   * or, when reading them throws or a vote names a guild that is not listed (`UnknownGuildError`), none.
   */
  import(batches: AsyncIterable<Vote[]>, now: Instant): Promise<ImportResult>;
  /** All votes of a guild in the period, in order, streamed. */
  export(guildId: string, period: Period): AsyncIterable<Vote>;
}

/** Which master secret the sealed texts of the database belong to. */
export interface FingerprintStore {
  /** `undefined` before the first start. */
  find(): Promise<string | undefined>;
  /** Keeps it unless there is one already, and gives the one that is kept. */
  keep(fingerprint: string): Promise<string>;
  replace(fingerprint: string): Promise<void>;
}

export type NamePosition = { before: VotePosition | null } | { after: VotePosition };

export type DailyVotes = { day: Instant; votes: number; doubled: number };

export type Voter = { userId: string; votes: number };

export type NamedVoter = { name: string; votes: number };

export interface RateStore {
  /**
   * Counts one request under this key and gives its window. Counting may stop once the limit is passed; the window
   * still says so. Never rejects: when the shared counter cannot be reached, this process counts alone.
   */
  hit(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow>;
}

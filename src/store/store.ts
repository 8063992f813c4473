/**
 * What Votary requires of a database. What SQLite and PostgreSQL say in the same way is written once on `database.ts`;
 * the rest has a file of the same name in `sqlite/` and `postgres/`. One contract suite (test/store/contract.ts) tests
 * both.
 *
 *   const store = await openStore(config.database);   // migrated and ready
 *   await store.guilds.add({ guildId, name, createdAt });
 *   const outcome = await store.votes.cast(vote);
 *   await store.close();
 *
 * Every change is visible to the next call of any process that shares the database.
 */
import type { Instant } from '../domain/clock.ts';
import type { AdmittedGuild } from '../domain/guild.ts';
import type { RecentVote, RecentWindow } from '../domain/votes/vote.ts';
import type { ActivityStore } from './activities.ts';
import type { ClaimStore } from './claims/claims.ts';
import type { ConsumerStore } from './claims/consumers.ts';
import type { TestVoteStore } from './claims/test-votes.ts';
import type { BannerStore } from './guilds/banners.ts';
import type { GoalStore } from './guilds/goals.ts';
import type { GuildStore } from './guilds/guilds.ts';
import type { ListingStore } from './guilds/listing.ts';
import type { MilestoneStore } from './guilds/milestones.ts';
import type { ProfileStore } from './guilds/profiles.ts';
import type { VoterRoleStore } from './guilds/voter-roles.ts';
import type { MaintenanceStore } from './maintenance-mode.ts';
import type { AuditStore } from './moderation/audit.ts';
import type { BanStore } from './moderation/bans.ts';
import type { IntegrityStore } from './moderation/integrity.ts';
import type { OperatorStore } from './moderation/operator.ts';
import type { TokenStore } from './moderation/tokens.ts';
import type { UnusualStore } from './moderation/unusual.ts';
import type { VoidStore } from './moderation/voiding.ts';
import type { ErasureStore } from './personal-data/erasure.ts';
import type { PersonalExportStore } from './personal-data/export.ts';
import type { RateLimit, RateStore, RateWindow } from './rates.ts';
import type { ReminderStore } from './reminders.ts';
import type { StoredResponseStore } from './stored-responses.ts';
import type { UserStore } from './users.ts';
import type { FeedStore } from './votes/feed.ts';
import type { OldVoteStore } from './votes/old-votes.ts';
import type { VoteStore } from './votes/votes.ts';
import type { WebhookStore } from './webhooks/store.ts';

/**
 * The database cannot be opened. The message is one line that says what happened and what to do, without passwords.
 */
export class StoreOpenError extends Error {
  /** Whether the server did not respond, so that opening it can succeed later. */
  readonly isUnreachable: boolean;

  constructor(message: string, cause?: unknown, isUnreachable = false) {
    super(message, { cause });
    this.name = 'StoreOpenError';
    this.isUnreachable = isUnreachable;
  }
}

/** `unreachable`: it does not respond, or not in time. `read-only` and `full`: it can be read, but stores nothing. */
export type UnavailableKind = 'unreachable' | 'read-only' | 'full';

/** Nothing is wrong with the call: it can succeed when the database is available again. The message is that of the cause. */
export class StoreUnavailableError extends Error {
  readonly kind: UnavailableKind;
  /** When callers should try again: a restart of the database takes a few seconds. */
  readonly retryAfterSeconds = 5;

  constructor(kind: UnavailableKind, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'StoreUnavailableError';
    this.kind = kind;
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

/**
 * `open` brings the database to the current schema and runs `check`, which can refuse the database. Until it has
 * resolved, calls of the store reject with `StoreUnavailableError`. After a failure it can be called again.
 */
export type UnopenedStore = { store: Store; open(check?: DatabaseCheck): Promise<void> };

export type DatabaseCheck = (database: Pick<Store, 'fingerprint'>) => Promise<void>;

export interface Store {
  readonly guilds: GuildStore;
  readonly profiles: ProfileStore;
  readonly banners: BannerStore;
  readonly goals: GoalStore;
  readonly voterRoles: VoterRoleStore;
  readonly listing: ListingStore;
  readonly votes: VoteStore;
  readonly oldVotes: OldVoteStore;
  readonly rates: RateStore;
  readonly activities: ActivityStore;
  readonly milestones: MilestoneStore;
  readonly users: UserStore;
  readonly webhooks: WebhookStore;
  readonly claims: ClaimStore;
  readonly consumers: ConsumerStore;
  readonly testVotes: TestVoteStore;
  readonly feed: FeedStore;
  readonly reminders: ReminderStore;
  readonly integrity: IntegrityStore;
  readonly moderation: VoidStore & BanStore;
  readonly tokens: TokenStore;
  readonly responses: StoredResponseStore;
  readonly audit: AuditStore;
  readonly fingerprint: FingerprintStore;
  readonly operator: OperatorStore;
  readonly unusual: UnusualStore;
  readonly maintenance: MaintenanceStore;
  readonly personalData: ErasureStore & PersonalExportStore;
  /**
   * Everything an API request needs before its handler runs: finds the guild of a key, counts the request and looks
   * up one vote. Rejects when the database does not respond; then nothing is counted.
   */
  admit(lookup: RequestLookup): Promise<Admission>;
  /** Resolves if the database responds and can be written; otherwise rejects. Writes at most once per second. */
  ping(): Promise<void>;
  /** What the database is doing right now, from memory. */
  load(): DatabaseLoad;
  /** Waits for work in progress, then closes the database. */
  close(): Promise<void>;
}

export type DatabaseLoad = {
  /** Queries that wait for a connection; on SQLite, queued writes. */
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
  memory?: KeyMemory | undefined;
};

/**
 * Belongs to one key, its rate key and one store. A caller that passes it again with the next request of the key lets the
 * store keep there what it found, so that it does not search again.
 */
export type KeyMemory = { found: unknown };

/** The latest vote of a user, or under a storable external id, inside the window. */
export type VoteQuery = ({ userId: string } | { externalId: string }) & { window: RecentWindow };

export type Admission = {
  guild: AdmittedGuild | undefined;
  window: RateWindow;
  vote: RecentVote | undefined;
};

/** The master secret that the encrypted values of the database belong to. */
export interface FingerprintStore {
  /** `undefined` before the first start. */
  find(): Promise<string | undefined>;
  /** Stores it unless there is one already, and returns the stored one. */
  keep(fingerprint: string): Promise<string>;
  replace(fingerprint: string): Promise<void>;
}

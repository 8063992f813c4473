import type { CallOptions, DateInput, GoalPeriod, Pagination } from '../types.ts';

/** Options of every call. */
export type ManageCallOptions = CallOptions & {
  /** Default: the `timeoutMs` of the client. Deleting a community with millions of votes takes longer. */
  timeoutMs?: number | undefined;
};

/** Options of calls that create something. */
export type CreateOptions = ManageCallOptions & {
  /**
   * For 24 hours, a call with the same key and arguments returns the same result instead of acting again. Store the key
   * before the call, to be able to repeat the call after a crash. Default: a new key for each call, so that the retries
   * of one call never act twice.
   */
  idempotencyKey?: string | undefined;
};

/** `replayed`: whether this repeats the result of an earlier call with the same idempotency key. */
export type Created<Result> = Result & { replayed: boolean };

/** How claims compare player names. `ignore-case` ignores case; `minecraft` also ignores the prefix of Bedrock players. */
export type PlayerNameRule = 'exact' | 'ignore-case' | 'minecraft' | (string & Record<never, never>);

/** A goal of votes in a UTC day, week (from Monday) or month; `party`: again after every `target` votes. */
export type GoalSetting = { period: GoalPeriod; target: number };

export type Guild = {
  guildId: string;
  name: string;
  /** Whether you allow it in the public listing. Its admins can unlist it too, which does not change this field. */
  listed: boolean;
  /** When Premium ends, or ended; null if it never had Premium. */
  premiumUntil: Date | null;
  /** A sanctioned community is closed: its key does not work, and nobody can vote for it. */
  sanction: { reason: string | null; since: Date } | null;
  /** Requests per minute of its API key; null for the limit of the service. */
  rateLimit: number | null;
  playerNames: PlayerNameRule;
  goal: GoalSetting | null;
  hasKey: boolean;
  createdAt: Date;
};

export type GuildPage = { guilds: Guild[]; pagination: Pagination };

export type PageOptions = ManageCallOptions & {
  /** Entries per page: 1 to 1000, default 100. */
  limit?: number | undefined;
  /** `pagination.nextCursor` of the previous page, unchanged. */
  cursor?: string | null | undefined;
};

export type WalkOptions = ManageCallOptions & {
  /** Entries per request: 1 to 1000, default 1000. */
  pageSize?: number | undefined;
};

export type GuildSearch = {
  /** A part of the name, ignoring case and accents, or a whole guild id. */
  q?: string | undefined;
};

export type NewGuild = { guildId: string; name: string };

/** Fields that are absent do not change. */
export type GuildChange = {
  name?: string | undefined;
  listed?: boolean | undefined;
  /** A date in the past, or null, ends Premium now. */
  premiumUntil?: DateInput | null | undefined;
  /** An object closes the community, null opens it again. */
  sanction?: { reason?: string | null | undefined } | null | undefined;
  /** Requests per minute of its API key, 1 to 100,000; null for the limit of the service. */
  rateLimit?: number | null | undefined;
  playerNames?: PlayerNameRule | undefined;
  /** Replaces an earlier goal; null removes it. */
  goal?: GoalSetting | null | undefined;
};

export type DeleteGuildOptions = ManageCallOptions & {
  /** The id of the community again, because deleting it cannot be undone. */
  confirm: string;
};

export type NewVote = {
  guildId: string;
  /** The Discord id of the voter, whom your site has signed in. */
  userId: string;
  /** The name of the voter in the community, for example in its game. */
  externalId?: string | null | undefined;
  /** The IP address of the voter, not that of your server. Without it, the limits per network do not apply. */
  network?: string | null | undefined;
};

export type CastVote = {
  vote: {
    voteId: string;
    guildId: string;
    userId: string;
    externalId: string | null;
    timestamp: Date;
    isDoubled: boolean;
  };
  /** When the user can vote for this community again. */
  nextVoteAt: Date;
};

export type Ban = {
  userId: string;
  since: Date;
  /** Null: the ban does not end. */
  until: Date | null;
  /** For the operators of the site. */
  reason: string | null;
  /** The reason that the voting page shows to the user. */
  publicReason: string | null;
};

export type BanPage = { bans: Ban[]; pagination: Pagination };

export type NewBan = {
  userId: string;
  /** Absent or null: the ban does not end. */
  until?: DateInput | null | undefined;
  /** For the operators of the site and their log. */
  reason?: string | null | undefined;
  /** The reason that the voting page shows to the user. */
  publicReason?: string | null | undefined;
};

/** Which votes of a community are voided: exactly one of these fields. */
export type VoidSelection =
  | { userId: string; externalId?: never; mark?: never; networkOf?: never }
  | { externalId: string; userId?: never; mark?: never; networkOf?: never }
  | { mark: VoteMark; userId?: never; externalId?: never; networkOf?: never }
  /** The votes from the same network as the vote with this id. */
  | { networkOf: string; userId?: never; externalId?: never; mark?: never };

/** A newer service may know marks that are not listed here. */
export type VoteMark = 'young_account' | 'busy_network' | 'shared_name' | (string & {});

export type NewVoid = VoidSelection & {
  guildId: string;
  /** Only votes from this time on. */
  from?: DateInput | null | undefined;
  /** Only votes before this time. */
  to?: DateInput | null | undefined;
  /** The event `vote_voided` contains it. */
  reason?: string | null | undefined;
  /** Counts the votes without changing anything. */
  dryRun?: boolean | undefined;
};

export type VoidResult = {
  /** Restores these votes with `deleteVoid`; null if nothing was voided. */
  batch: string | null;
  /** The number of votes that were, or would be, voided. */
  voided: number;
};

type Entry = { [field: string]: unknown };

/**
 * Everything that is stored about a user, as the service sent it: with the names of the API and dates as strings, and
 * with fields that this version does not know, so that it can be handed to the user.
 */
export type UserExport = {
  user_id: string;
  exported_at: string;
  /** Null if the user never signed in. */
  profile: Entry | null;
  ban: Entry | null;
  signed_out_at: string | null;
  reminders: Entry[];
  /** Roles in Discord that the user has for voting. */
  voter_roles: Entry[];
  /** All votes, including voided ones. */
  votes: Entry[];
  cooldowns: Entry[];
  webhook_events: Entry[];
  claim_responses: Entry[];
  /** What the user did as an admin of a community. */
  activities: Entry[];
  /** What the user did as an operator, or operators about the user. */
  operator_actions: Entry[];
  [field: string]: unknown;
};

export type ErasedUser = {
  /** Votes that still count, under a random id. */
  votes: number;
  /** The number of communities that have these votes. */
  guilds: number;
};

/** The voter, by Discord id or by the external id of the vote link. Exactly one of the two. */
export type VoterIdentity =
  | { discordId: string; externalId?: never }
  | { externalId: string; discordId?: never };

export type VoteCheck = {
  guildId: string;
  /** Whether the user voted within the last hour. */
  hasVoted: boolean;
  isDoubled: boolean;
  /** Null when there is no recent vote. */
  lastVoteAt: Date | null;
  nextVoteAt: Date | null;
  /** 0 when no cooldown is active. */
  cooldownRemainingSeconds: number;
};

export type Vote = { userId: string; timestamp: Date; isDoubled: boolean };

export type Pagination = { limit: number; hasMore: boolean; nextCursor: string | null };

/** `from` is included in the period, `to` is not. */
export type Period = { from: Date; to: Date };

export type VotePage = {
  guildId: string;
  /** Oldest first. */
  votes: Vote[];
  /** All votes of the period, not only those of this page. */
  total: number;
  pagination: Pagination;
  period: Period;
};

export type UserVotePage = VotePage & { userId: string };

/** A `Date`, or an ISO 8601 date or date-time. Without an offset it is UTC, as in the API. */
export type DateInput = Date | string;

export type CallOptions = {
  /** Aborts the call, which then rejects with the signal's reason. Identical calls by other callers continue. */
  signal?: AbortSignal | undefined;
};

export type VotePageOptions = CallOptions & {
  /** Default: the start of the current month, UTC. */
  from?: DateInput | undefined;
  /** Default: now. At most 31 days after `from`. */
  to?: DateInput | undefined;
  /** Votes per page: 1 to 1000, default 100. */
  limit?: number | undefined;
  /** `pagination.nextCursor` of the previous page, unchanged. */
  cursor?: string | null | undefined;
};

export type VoteSpanOptions = CallOptions & {
  /** Default: the start of the current month, UTC. */
  from?: DateInput | undefined;
  /** Default: now. The span can be of any length. */
  to?: DateInput | undefined;
  /** Votes per request: 1 to 1000, default 1000. */
  pageSize?: number | undefined;
};

/** A vote with the id that identifies it in claims, the feed and webhooks. */
export type FeedVote = {
  voteId: string;
  userId: string;
  /** The name in the vote link; null when the link had none. */
  externalId: string | null;
  timestamp: Date;
  isDoubled: boolean;
  /** Votes of the user for the community up to this one, which is included. 0 if the service does not say. */
  totalVotes: number;
  /** Consecutive UTC days with a vote of the user, up to the day of this vote. 0 if the service does not say. */
  streakDays: number;
};

export type ClaimedVote = FeedVote & { claimedAt: Date };

/** What identifies a claim: the vote, and when it was claimed. A `ClaimedVote` is one. */
export type HeldClaim = { voteId: string; claimedAt: DateInput };

/** `claimedAt` is null while the vote can still be claimed. */
export type ClaimableVote = FeedVote & { claimedAt: Date | null };

/**
 * `remaining` is the number of votes that could still be claimed. Grant the reward only when `claimed` is true. `test`:
 * the vote is a test that an admin sent in the dashboard; grant nothing for it.
 */
export type ClaimResult =
  | { guildId: string; consumer: string; claimed: true; vote: ClaimedVote; remaining: number; test?: true }
  | { guildId: string; consumer: string; claimed: false; vote: null; remaining: number };

export type ClaimOverview = {
  guildId: string;
  consumer: string;
  claimable: number;
  claimed: number;
  /** Claimed and claimable votes, oldest first, at most 100. */
  votes: ClaimableVote[];
};

export type ClaimsOptions = CallOptions & {
  /** How far back votes count, in hours: 1 to 744, default 24. */
  withinHours?: number | undefined;
  /**
   * Who claims, such as `bot` or `survival`: each consumer can claim a vote once. 1 to 32 lower-case letters, digits and
   * hyphens. Default: `default`. A program that gets another name can claim votes again that it has claimed within
   * `withinHours`.
   */
  consumer?: string | undefined;
};

export type ClaimOptions = ClaimsOptions & {
  /**
   * For 24 hours, a call with the same key and arguments returns the same result instead of claiming another vote. Store
   * the key before the call, to be able to repeat the call after a crash. Default: a new key for each call, so that
   * the retries of one call never claim two votes.
   */
  idempotencyKey?: string | undefined;
};

export type ReleaseOptions = CallOptions & {
  /** `claimedAt` of the claim, if only the id of the vote is passed. */
  claimedAt?: DateInput | undefined;
  /** The consumer that claimed the vote. Default: `default`. */
  consumer?: string | undefined;
};

export type PendingOptions = ClaimsOptions & {
  /** Votes per request: 1 to 1000, default 1000. */
  pageSize?: number | undefined;
};

/** The voters of a month, sorted by votes (most first), then by user id. */
export type Leaderboard = {
  guildId: string;
  /** `YYYY-MM`, UTC. */
  month: string;
  /** All votes of the month, including those of users who are not listed. */
  total: number;
  voters: { rank: number; userId: string; votes: number }[];
};

export type LeaderboardOptions = CallOptions & {
  /** `YYYY-MM`, UTC. Default: the current month. */
  month?: string | undefined;
  /** 1 to 100, default 100. */
  limit?: number | undefined;
};

/** A UTC day, week (from Monday) or month, or every so many votes. A newer service may have others. */
export type GoalPeriod = 'day' | 'week' | 'month' | 'party' | (string & Record<never, never>);

export type Goal = {
  period: GoalPeriod;
  /** The number of votes to reach. */
  target: number;
  /** Votes in the current period, or since the last vote party. */
  votes: number;
  /** 0 once the goal is reached. */
  remaining: number;
  /** When the period ends; null for `party`, which starts again when the goal is reached. */
  resetsAt: Date | null;
};

/** `goal` is null for a community without a goal. */
export type GoalStatus = { guildId: string; goal: Goal | null };

/** Any number of voters, all by Discord id or all by external id. */
export type VoterIdentities =
  | { discordIds: readonly string[]; externalIds?: never }
  | { externalIds: readonly string[]; discordIds?: never };

/** Votes in the order they were accepted. Store `cursor` once they are processed; the feed continues after it. */
export type FeedPage = { votes: FeedVote[]; cursor: string };

export type FeedOptions = CallOptions & {
  /** `cursor` of the last page that was processed. Without it the feed starts at `from`, or now. */
  cursor?: string | null | undefined;
  /** Where to start without a cursor: at most 31 days ago. Ignored with a cursor. */
  from?: DateInput | undefined;
  /** Votes per page: 1 to 1000, default 100. */
  pageSize?: number | undefined;
  /** How long the service waits for votes before it returns an empty page: 0 to 30, default 25. */
  waitSeconds?: number | undefined;
};

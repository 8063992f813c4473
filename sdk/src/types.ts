/** Who voted: by their Discord id, or by the external id of the vote link they used. Exactly one of the two. */
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

/** `from` is inside the period, `to` is not. */
export type Period = { from: Date; to: Date };

export type VotePage = {
  guildId: string;
  /** The oldest first. */
  votes: Vote[];
  /** All votes of the period, not only those of this page. */
  total: number;
  pagination: Pagination;
  period: Period;
};

export type UserVotePage = VotePage & { userId: string };

/** A `Date`, or a date or date-time of ISO 8601. Without an offset it is UTC, as it is for the API. */
export type DateInput = Date | string;

export type CallOptions = {
  /** Ends the call: it rejects with the signal's reason. Equal calls of others go on. */
  signal?: AbortSignal | undefined;
};

export type VotePageOptions = CallOptions & {
  /** Default: the start of the current month, UTC. */
  from?: DateInput | undefined;
  /** Default: now. At most 31 days after `from`. */
  to?: DateInput | undefined;
  /** Votes a page: 1 to 1000, default 100. */
  limit?: number | undefined;
  /** `pagination.nextCursor` of the page before, unchanged. */
  cursor?: string | null | undefined;
};

export type VoteSpanOptions = CallOptions & {
  /** Default: the start of the current month, UTC. */
  from?: DateInput | undefined;
  /** Default: now. As long after `from` as you like. */
  to?: DateInput | undefined;
  /** Votes asked for with one request: 1 to 1000, default 1000. */
  pageSize?: number | undefined;
};

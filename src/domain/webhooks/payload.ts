/** The JSON bodies of webhooks. */
import { formatInstant } from '../clock.ts';
import { isRecord } from '../record.ts';
import type { GoalPeriod, ReachedGoal } from '../votes/goal.ts';
import type { VoidBatch } from '../votes/voids.ts';
import type { ConsumerClaim } from '../votes/vote.ts';
import { COOLDOWN_MS, type Vote, type VoterTotals, voteId } from '../votes/vote.ts';

/** A vote was accepted. `test` is present in requested samples, never in real events. */
export type VoteReceivedPayload = {
  type: 'vote_received';
  timestamp: string;
  data: {
    /** Stable for one vote, to recognize it by. */
    vote_id: string;
    guild_id: string;
    user_id: string;
    external_id: string | null;
    timestamp: string;
    is_doubled: boolean;
    next_vote_at: string;
    /** Votes of the guild in the UTC month, including this one. */
    votes_this_month: number;
    /** Votes of this user for the guild, including this one. */
    total_votes: number;
    /** Consecutive UTC days on which this user voted for the guild, including today. */
    streak_days: number;
    test?: true;
  };
};

/** The cooldown of a vote is over: the user can vote again. */
export type VoteAvailablePayload = {
  type: 'vote_available';
  timestamp: string;
  data: {
    /** The vote whose cooldown is over. */
    vote_id: string;
    guild_id: string;
    user_id: string;
    external_id: string | null;
    last_vote_at: string;
    available_at: string;
    test?: true;
  };
};

/** A vote was claimed. If it is claimed again after a release, that is a new event. */
export type RewardGrantedPayload = {
  type: 'reward_granted';
  timestamp: string;
  data: {
    vote_id: string;
    guild_id: string;
    user_id: string;
    external_id: string | null;
    vote_timestamp: string;
    is_doubled: boolean;
    claimed_at: string;
    /** The consumer that claimed it: a vote can be claimed once by each. */
    consumer: string;
    test?: true;
  };
};

/** An operator voided a vote, so it no longer counts. If it is voided again after a restore, that is a new event. */
export type VoteVoidedPayload = {
  type: 'vote_voided';
  timestamp: string;
  data: {
    vote_id: string;
    guild_id: string;
    user_id: string;
    external_id: string | null;
    /** When the vote was cast. */
    timestamp: string;
    is_doubled: boolean;
    reason: string | null;
    /** Shared by the votes that were voided together. */
    batch: string;
    voided_at: string;
    test?: true;
  };
};

/** A community reached its goal. */
export type GoalReachedPayload = {
  type: 'goal_reached';
  timestamp: string;
  data: {
    guild_id: string;
    /** The number of votes that was to be reached. */
    goal: number;
    period: GoalPeriod;
    /** Votes in the period, or since the last vote party, including the one that reached the goal. */
    votes: number;
    reached_at: string;
    test?: true;
  };
};

/** Sent by the test button. */
export type WebhookTestPayload = {
  type: 'webhook_test';
  timestamp: string;
  data: { guild_id: string; message: string };
};

export type VotePayload =
  | VoteReceivedPayload
  | VoteAvailablePayload
  | RewardGrantedPayload
  | VoteVoidedPayload;

export type WebhookPayload = VotePayload | GoalReachedPayload | WebhookTestPayload;

/** The fields of a stored event, for other formats of it. */
export function eventData(body: string): Readonly<Record<string, unknown>> {
  const event: unknown = JSON.parse(body);
  return isRecord(event) && isRecord(event.data) ? event.data : {};
}

/** What is counted when a vote is accepted, including this vote. */
export type VoteSums = VoterTotals & { votesThisMonth: number };

/** The first fields of every event about a vote. */
function identifiersOf(vote: Vote) {
  return {
    vote_id: voteId(vote),
    guild_id: vote.guildId,
    user_id: vote.userId,
    external_id: vote.externalId,
  };
}

export function receivedPayload(vote: Vote, sums: VoteSums): VoteReceivedPayload {
  return {
    type: 'vote_received',
    timestamp: formatInstant(vote.castAt),
    data: {
      ...identifiersOf(vote),
      timestamp: formatInstant(vote.castAt),
      is_doubled: vote.isDoubled,
      next_vote_at: formatInstant(vote.castAt + COOLDOWN_MS),
      votes_this_month: sums.votesThisMonth,
      total_votes: sums.totalVotes,
      streak_days: sums.streakDays,
    },
  };
}

export function availablePayload(vote: Vote): VoteAvailablePayload {
  const availableAt = formatInstant(vote.castAt + COOLDOWN_MS);
  return {
    type: 'vote_available',
    timestamp: availableAt,
    data: {
      ...identifiersOf(vote),
      last_vote_at: formatInstant(vote.castAt),
      available_at: availableAt,
    },
  };
}

export function grantedPayload(vote: ConsumerClaim): RewardGrantedPayload {
  const claimedAt = formatInstant(vote.claimedAt);
  return {
    type: 'reward_granted',
    timestamp: claimedAt,
    data: {
      ...identifiersOf(vote),
      vote_timestamp: formatInstant(vote.castAt),
      is_doubled: vote.isDoubled,
      claimed_at: claimedAt,
      consumer: vote.consumer,
    },
  };
}

export function voidedPayload(vote: Vote, { batch, reason, voidedAt }: VoidBatch): VoteVoidedPayload {
  return {
    type: 'vote_voided',
    timestamp: formatInstant(voidedAt),
    data: {
      ...identifiersOf(vote),
      timestamp: formatInstant(vote.castAt),
      is_doubled: vote.isDoubled,
      reason,
      batch,
      voided_at: formatInstant(voidedAt),
    },
  };
}

export function goalPayload({ period, target, votes, vote }: ReachedGoal): GoalReachedPayload {
  const reachedAt = formatInstant(vote.castAt);
  return {
    type: 'goal_reached',
    timestamp: reachedAt,
    data: { guild_id: vote.guildId, goal: target, period, votes, reached_at: reachedAt },
  };
}

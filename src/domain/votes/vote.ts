/**
 * A vote, the one-hour rule, and claims: each vote is rewarded once. The database decides which request gets a vote
 * (src/store/claims/claims.ts); the rules that do not need a database are here.
 */
import { hash } from 'node:crypto';
import { HOUR_MS, type Instant, SECOND_MS } from '../clock.ts';
import { DEFAULT_CONSUMER } from './consumers.ts';

/** One logical vote. A user casts at most one per guild and millisecond, so the first three fields identify it. */
export type Vote = {
  guildId: string;
  userId: string;
  castAt: Instant;
  externalId: string | null;
  isDoubled: boolean;
};

/** The position of a vote in lists: by time, then by user id. */
export type VotePosition = { castAt: Instant; userId: string };

/**
 * The totals of a user in a guild. A doubled vote is one vote. The streak is the number of consecutive UTC days with a
 * vote, up to today, or up to yesterday while today has none.
 */
export type VoterTotals = { totalVotes: number; streakDays: number };

/**
 * A vote as an entry of a guild's list, as the database returned it: copying a thousand of them to turn the 0 or 1 of
 * SQLite into a boolean would take longer than writing the response.
 */
export type ListedVote = VotePosition & { isDoubled: boolean | number };

export function positionOf(vote: VotePosition): VotePosition {
  return { castAt: vote.castAt, userId: vote.userId };
}

/** A deterministic id of the vote that does not reveal the voter. */
export function voteId({ guildId, userId, castAt }: Pick<Vote, 'guildId' | 'userId' | 'castAt'>): string {
  return `vote_${hash('sha256', `${guildId} ${userId} ${castAt}`, 'hex').slice(0, 32)}`;
}

/** The format of every `voteId`. */
export const VOTE_ID_PATTERN = /^vote_[0-9a-f]{32}$/;

/** When a guild's votes count as doubled. Decided when the vote is cast. */
export const DOUBLING_RULES = ['never', 'weekends', 'always'] as const;

export type DoublingRule = (typeof DOUBLING_RULES)[number];

export function isDoubledAt(rule: DoublingRule, castAt: Instant): boolean {
  switch (rule) {
    case 'never':
      return false;
    case 'always':
      return true;
    case 'weekends':
      return isWeekend(castAt);
  }
}

function isWeekend(instant: Instant): boolean {
  const day = new Date(instant).getUTCDay();
  return day === 0 || day === 6;
}

/** One vote per hour, user and guild. */
export const COOLDOWN_MS = HOUR_MS;

/**
 * Clock tolerance: a vote this far ahead of our clock was just cast by another process and must be visible
 * immediately.
 */
export const CLOCK_SKEW_MS = 2 * SECOND_MS;

/** The window of recent votes: after `after`, up to and including `until`. */
export type RecentWindow = { after: Instant; until: Instant };

export function recentWindow(now: Instant): RecentWindow {
  return { after: now - COOLDOWN_MS, until: now + CLOCK_SKEW_MS };
}

export type RecentVote = { castAt: Instant; isDoubled: boolean };

/** The result of a vote check. `null` dates and 0 seconds while no cooldown is active. */
export type CooldownState = {
  hasVoted: boolean;
  isDoubled: boolean;
  lastVoteAt: Instant | null;
  nextVoteAt: Instant | null;
  remainingSeconds: number;
};

const NO_RECENT_VOTE: CooldownState = {
  hasVoted: false,
  isDoubled: false,
  lastVoteAt: null,
  nextVoteAt: null,
  remainingSeconds: 0,
};

/** At exactly one hour the cooldown is over. Seconds are rounded up, so they are above 0 during it. */
export function cooldownAt(now: Instant, vote: RecentVote | undefined): CooldownState {
  if (!vote || vote.castAt + COOLDOWN_MS <= now) return NO_RECENT_VOTE;
  const nextVoteAt = vote.castAt + COOLDOWN_MS;
  return {
    hasVoted: true,
    isDoubled: vote.isDoubled,
    lastVoteAt: vote.castAt,
    nextVoteAt,
    remainingSeconds: Math.ceil(Math.min(nextVoteAt - now, COOLDOWN_MS) / SECOND_MS),
  };
}

/**
 * Whose votes are claimed: a user's, or those cast under a name. `externalId` is compared by the guild's rule for names;
 * `foldedName`, the result of `foldExternalId`, is for protocols that always ignore case.
 */
export type ClaimIdentity = { userId: string } | { externalId: string } | { foldedName: string };

/** A vote and when it was claimed; null while it is not. */
export type ClaimableVote = Vote & { claimedAt: Instant | null };

export type ClaimedVote = Vote & { claimedAt: Instant };

/** A claim of one consumer. */
export type ConsumerClaim = ClaimedVote & { consumer: string };

/** The result of a claim: the oldest claimable vote, and how many more can be claimed after it. */
export type ClaimOutcome = { vote: (ClaimedVote & VoterTotals) | null; remaining: number };

export const DEFAULT_WITHIN_HOURS = 24;
export const MAX_WITHIN_HOURS = 744;

/** The maximum number of votes in a claim overview; its counts cover all of them. */
export const MAX_LISTED_CLAIMS = 100;

/** How long a repeated Idempotency-Key returns the stored response. */
export const IDEMPOTENCY_MS = 24 * HOUR_MS;

/** With "one reward per name", votes under one name that are closer than this earn one reward. */
export const NAME_INTERVAL_MS = HOUR_MS;

/** The votes that can be claimed at `now`. */
export function claimWindow(now: Instant, withinHours: number): RecentWindow {
  return { after: now - withinHours * HOUR_MS, until: now + CLOCK_SKEW_MS };
}

/** Whether "one reward per name" limits this claim: only claims by name are limited. */
export function isLimitedByName(identity: ClaimIdentity, oneRewardPerName: boolean): boolean {
  return oneRewardPerName && !('userId' in identity);
}

/** Compatibility forms can be eighteen times as long as the text; an index entry must stay below 2.7 kB. */
const MAX_FOLDED_BYTES = 800;

/**
 * A name without case and compatibility forms (Ｇ is G). Upper case does not depend on neighboring letters, unlike
 * lower case (ς, σ). The result is stored in votes.name_key, so a different folding requires a migration.
 */
export function foldExternalId(externalId: string): string {
  const folded = externalId.normalize('NFKC').toUpperCase().normalize('NFKC');
  return Buffer.byteLength(folded) <= MAX_FOLDED_BYTES ? folded : `sha256:${hash('sha256', folded, 'hex')}`;
}

/** votes.name_key of a vote. */
export function nameKeyOf({ externalId }: Pick<Vote, 'externalId'>): string | null {
  return externalId === null ? null : foldExternalId(externalId);
}

type RepeatedClaim = {
  identity: ClaimIdentity;
  withinHours: number;
  consumer: string;
  action?: 'claim' | 'set' | 'reward';
};

/** What a repeated Idempotency-Key must have in common with the first request. */
export function claimRequestHash({
  identity,
  withinHours,
  consumer,
  action = 'claim',
}: RepeatedClaim): string {
  // Earlier versions, whose keys are still stored, knew no consumers.
  const named = consumer === DEFAULT_CONSUMER ? [] : [consumer];
  return hash('sha256', JSON.stringify([identity, withinHours, action, ...named]), 'hex');
}

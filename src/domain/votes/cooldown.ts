import { HOUR_MS, type Instant, SECOND_MS } from '../clock.ts';

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

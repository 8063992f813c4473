import { hash } from 'node:crypto';
import type { Instant } from '../clock.ts';

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
 * What a user has done for a guild. A doubled vote is one vote. The streak is the number of consecutive UTC days with
 * a vote, up to today, or up to yesterday while today has none.
 */
export type VoterTotals = { totalVotes: number; streakDays: number };

/** A vote as an entry of a guild's list. */
export type ListedVote = Pick<Vote, 'userId' | 'castAt' | 'isDoubled'>;

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

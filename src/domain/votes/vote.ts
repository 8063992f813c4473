import { hash } from 'node:crypto';
import type { Instant } from '../clock.ts';

/** One logical vote. A user casts at most one per guild in one millisecond, so the three first fields identify it. */
export type Vote = {
  guildId: string;
  userId: string;
  castAt: Instant;
  externalId: string | null;
  isDoubled: boolean;
};

/** Votes are listed by time; the user id orders votes of the same millisecond. */
export type VotePosition = { castAt: Instant; userId: string };

/** What a list says of a vote, in a list that is of one guild. */
export type ListedVote = Pick<Vote, 'userId' | 'castAt' | 'isDoubled'>;

export function positionOf(vote: VotePosition): VotePosition {
  return { castAt: vote.castAt, userId: vote.userId };
}

/** A name for the vote that is the same wherever and whenever it is made, and tells nothing of who cast it. */
export function voteId({ guildId, userId, castAt }: Pick<Vote, 'guildId' | 'userId' | 'castAt'>): string {
  return `vote_${hash('sha256', `${guildId} ${userId} ${castAt}`, 'hex').slice(0, 32)}`;
}

/** The shape of every `voteId`. */
export const VOTE_ID_PATTERN = /^vote_[0-9a-f]{32}$/;

/** When a guild's votes count as doubled. Fixed into the vote when it is cast. */
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

import type { VoterTotals } from './vote.ts';

/** The votes that are missing to a better rank, and that rank: ahead of everybody who then has fewer votes. */
export type NextRank = { rank: number; votes: number };

/**
 * `rank` is the user's place among the voters of the current UTC month, in the order of `topVoters`; `rankBefore` is
 * the place without the user's newest vote. Both are null without votes this month (or before the newest one), and for
 * guilds with more than MAX_RANKED_VOTES votes in it. `next` is also null at the first place.
 */
export type Standing = VoterTotals & {
  votesThisMonth: number;
  rank: number | null;
  rankBefore: number | null;
  next: NextRank | null;
};

/**
 * The voter's totals at the time of each vote, for many votes at once. For a further vote of the same user, only what is
 * new since the previous one is counted: a page with many votes of one user would otherwise read all their earlier votes
 * for each of them.
 *
 *   const plan = planTotals(votes);
 *   const totals = plan.combine(await count(plan.ranges));   // in the order of `votes`
 */
import { DAY_MS, type Instant } from '../../domain/clock.ts';
import { dayOf } from '../../domain/votes/period.ts';
import type { Vote, VoterTotals } from '../../domain/votes/vote.ts';

type Voted = Pick<Vote, 'guildId' | 'userId' | 'castAt'>;

/** Votes after `after`, up to `until`, and consecutive days with a vote before `day`, but after `sinceDay`. */
export type TotalsRange = {
  guildId: string;
  userId: string;
  after: Instant;
  until: Instant;
  day: Instant;
  sinceDay: Instant;
};

export type CountedRange = { votes: number; days: number };

/** Earlier than every vote. */
const NEVER = Number.MIN_SAFE_INTEGER;

export function planTotals(votes: readonly Voted[]): {
  ranges: TotalsRange[];
  combine(counted: readonly CountedRange[]): VoterTotals[];
} {
  const order = votes.map((_, place) => place).sort((a, b) => byVoter(votes[a], votes[b]));
  const ranges = order.flatMap((place, i) => {
    const vote = votes[place];
    return vote ? [rangeOf(vote, previousOf(vote, votes[order[i - 1] ?? -1]))] : [];
  });
  return {
    ranges,
    combine(counted) {
      const totals: VoterTotals[] = [];
      let previous: VoterTotals = { totalVotes: 0, streakDays: 0 };
      for (const [i, place] of order.entries()) {
        const range = ranges[i];
        if (range) previous = add(previous, range, counted[i] ?? { votes: 0, days: 0 });
        totals[place] = previous;
      }
      return totals;
    },
  };
}

function byVoter(a: Voted | undefined, b: Voted | undefined): number {
  if (!a || !b) return 0;
  if (a.guildId !== b.guildId) return a.guildId < b.guildId ? -1 : 1;
  if (a.userId !== b.userId) return a.userId < b.userId ? -1 : 1;
  return a.castAt - b.castAt;
}

function previousOf(vote: Voted, before: Voted | undefined): Voted | undefined {
  return before?.guildId === vote.guildId && before.userId === vote.userId ? before : undefined;
}

function rangeOf({ guildId, userId, castAt }: Voted, previous: Voted | undefined): TotalsRange {
  return {
    guildId,
    userId,
    after: previous ? previous.castAt : NEVER,
    until: castAt,
    day: dayOf(castAt),
    sinceDay: previous ? dayOf(previous.castAt) : NEVER,
  };
}

function add(
  previous: VoterTotals,
  { day, sinceDay }: TotalsRange,
  { votes, days }: CountedRange,
): VoterTotals {
  if (sinceDay === NEVER) return { totalVotes: votes, streakDays: days + 1 };
  const newDays = (day - sinceDay) / DAY_MS;
  const isContinued = newDays === 0 || days === newDays - 1;
  return {
    totalVotes: previous.totalVotes + votes,
    streakDays: isContinued ? previous.streakDays + newDays : days + 1,
  };
}

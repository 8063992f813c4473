/**
 * Goals: a number of votes in a day, a week or a month, or again and again after every so many votes (a vote party).
 *
 *   const { from, to } = goalPeriod('week', now);   // Monday to Monday, in UTC
 *
 * Votes are counted as everywhere: a doubled vote is one vote, and voided votes do not count.
 */
import { DAY_MS, formatInstantOrNull, type Instant } from '../clock.ts';
import { dayOf, type Period, weekOf, wholeMonth } from './period.ts';
import type { Vote } from './vote.ts';

/** Periods that end, after which the votes are counted from zero. */
export const TIMED_PERIODS = ['day', 'week', 'month'] as const;

/** `party`: the votes are counted from zero again when the goal is reached. */
export const GOAL_PERIODS = [...TIMED_PERIODS, 'party'] as const;

export type TimedPeriod = (typeof TIMED_PERIODS)[number];

export type GoalPeriod = (typeof GOAL_PERIODS)[number];

export type Goal = { period: GoalPeriod; target: number };

/** `votes` are those of the current period, or since the last vote party. */
export type GoalProgress = Goal & { votes: number; remaining: number; resetsAt: Instant | null };

/** A vote that reached a goal. `votes` are those that were counted, including this one. */
export type ReachedGoal = Goal & { votes: number; vote: Vote };

export const MAX_GOAL_VOTES = 1_000_000_000;

export function isGoalTarget(votes: number): boolean {
  return Number.isInteger(votes) && votes >= 1 && votes <= MAX_GOAL_VOTES;
}

/** Reads what was typed. */
export function parseGoalTarget(text: string): number | undefined {
  const votes = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return isGoalTarget(votes) ? votes : undefined;
}

export function isSameGoal(a: Goal | null, b: Goal | null): boolean {
  return a?.period === b?.period && a?.target === b?.target;
}

/** The UTC day, week (from Monday) or month that an instant lies in. */
export function goalPeriod(period: TimedPeriod, instant: Instant): Period {
  switch (period) {
    case 'day':
      return { from: dayOf(instant), to: dayOf(instant) + DAY_MS };
    case 'week':
      return { from: weekOf(instant), to: weekOf(instant) + 7 * DAY_MS };
    case 'month':
      return wholeMonth(instant);
  }
}

export function progressOf(goal: Goal, votes: number, now: Instant): GoalProgress {
  const { period, target } = goal;
  const resetsAt = period === 'party' ? null : goalPeriod(period, now).to;
  return { period, target, votes, remaining: Math.max(0, target - votes), resetsAt };
}

/** As JSON, for the API and the command line. */
export function progressDocument({ period, target, votes, remaining, resetsAt }: GoalProgress) {
  return {
    period,
    target,
    votes,
    remaining,
    resets_at: formatInstantOrNull(resetsAt),
  };
}

/**
 * The vote with which a goal of a day, week or month is reached: the first of these with which there are at least
 * `target` votes. All of them are in the same period, in the order of acceptance; `votes` includes them.
 */
export function findReaching(goal: Goal, accepted: readonly Vote[], votes: number): ReachedGoal | undefined {
  const before = votes - accepted.length;
  const index = Math.max(0, goal.target - before - 1);
  const vote = accepted[index];
  return vote && { period: goal.period, target: goal.target, votes: before + index + 1, vote };
}

/** The parties that votes cause, and how many votes count towards the next. `votes` is the count before them. */
export function countPartyVotes(
  target: number,
  accepted: readonly Vote[],
  votes: number,
): { reached: ReachedGoal[]; votes: number } {
  const reached: ReachedGoal[] = [];
  let counted = votes;
  for (const vote of accepted) {
    counted += 1;
    if (counted < target) continue;
    reached.push({ period: 'party', target, votes: counted, vote });
    counted = 0;
  }
  return { reached, votes: counted };
}

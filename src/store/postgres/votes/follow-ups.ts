/** What else depends on an accepted vote: events for endpoints, goals and voter roles. Most guilds have none of them. */
import type { Goal } from '../../../domain/votes/goal.ts';
import { monthOf } from '../../../domain/votes/period.ts';
import type { Vote, VoterTotals } from '../../../domain/votes/vote.ts';
import { planGoalEvents, planVoteEvents, type Subscription, wantsTotals } from '../../webhooks/events.ts';
import type { Queryable } from '../connection/connection.ts';
import { writeEvents } from '../webhooks/events.ts';
import { reachGoals } from './goals.ts';
import { readTotals } from './standing.ts';
import { markRoleChecks } from './voter-roles.ts';

export type FollowUpsOfGuild = { subscriptions: Subscription[]; goal: Goal | null; has_voter_role: boolean };
export type AcceptedVote = { vote: Vote; seq: number; guild: FollowUpsOfGuild };

/** The votes of a guild in a month, including those of the group. */
export type MonthSum = { guild_id: string; month: number; votes: number };

const NO_TOTALS: VoterTotals = { totalVotes: 1, streakDays: 1 };

export function hasFollowUps(guild: FollowUpsOfGuild): boolean {
  return guild.subscriptions.length > 0 || guild.goal !== null || guild.has_voter_role;
}

/** Writes them in the transaction of the votes. `sums`: those of guilds with endpoints. */
export async function followUp(
  tx: Queryable,
  votes: readonly AcceptedVote[],
  sums: readonly MonthSum[],
): Promise<void> {
  // Only for endpoints that need them: as an unused part of the statement that inserts, they made every vote 6 % slower.
  const counted = votes.flatMap(({ vote, guild }) => (wantsTotals(guild.subscriptions) ? [vote] : []));
  const totals = await readTotals(tx, counted);
  const totalsOf = new Map(counted.map((vote, i) => [vote, totals[i]]));
  const reached = await reachGoals(
    tx,
    votes.flatMap(({ vote, seq, guild: { goal } }) => (goal ? [{ vote, seq, goal }] : [])),
  );
  const votesInMonth = countEach(votes, sums);
  const events = votes.flatMap(({ vote, guild: { subscriptions } }, i) => {
    const readSums = () => ({ votesThisMonth: votesInMonth[i] ?? 0, ...(totalsOf.get(vote) ?? NO_TOTALS) });
    const goal = reached.find((one) => one.vote === vote);
    return [
      ...planVoteEvents(vote, readSums, subscriptions),
      ...(goal ? planGoalEvents(goal, subscriptions) : []),
    ];
  });
  await writeEvents(tx, events);
  await markRoleChecks(
    tx,
    votes.flatMap(({ vote: { guildId, userId, castAt }, guild: { has_voter_role } }) =>
      has_voter_role ? [{ guildId, userId, at: castAt }] : [],
    ),
  );
}

/** The votes of each vote's month up to this one. From the last to the first, because the sums are those after the last. */
function countEach(votes: readonly AcceptedVote[], sums: readonly MonthSum[]): number[] {
  const left = new Map(sums.map((row) => [`${row.guild_id} ${row.month}`, row.votes]));
  const counts = votes.toReversed().map(({ vote: { guildId, castAt } }) => {
    const month = `${guildId} ${monthOf(castAt)}`;
    const count = left.get(month) ?? 0;
    left.set(month, count - 1);
    return count;
  });
  return counts.reverse();
}

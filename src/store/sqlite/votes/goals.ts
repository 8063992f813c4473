import type { Instant } from '../../../domain/clock.ts';
import {
  countPartyVotes,
  findReaching,
  type GoalPeriod,
  goalPeriod,
  type ReachedGoal,
  type TimedPeriod,
} from '../../../domain/votes/goal.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import type { Connection } from '../connection.ts';

type GoalRow = { period: GoalPeriod; target: number; party_votes: number };

/** An accepted vote, after it was counted. `readMonth`: the votes of its month. */
type CountedVote = { vote: Vote; seq: number; readMonth: () => number };

/** Counts a vote towards the goal of its guild, in the transaction of the vote. Returns the goal if it reached it. */
export function createGoalCheck(db: Connection): (counted: CountedVote) => ReachedGoal | undefined {
  const sql = prepare(db);

  function reachTimed(goal: GoalRow & { period: TimedPeriod }, { vote, readMonth }: CountedVote) {
    const { guildId, castAt } = vote;
    const { period, target } = goal;
    const { from, to } = goalPeriod(period, castAt);
    if (sql.isReached.get(guildId, from, period, target)) return undefined;
    const votes = period === 'month' ? readMonth() : (sql.countHours.get(guildId, from, to)?.votes ?? 0);
    const reached = findReaching(goal, [vote], votes);
    if (reached) sql.reach.run(guildId, from, period, target, castAt);
    return reached;
  }

  function reachParty({ target, party_votes }: GoalRow, { vote, seq }: CountedVote) {
    const { reached, votes } = countPartyVotes(target, [vote], party_votes);
    if (reached.length === 0) sql.countParty.run(votes, vote.guildId);
    else sql.startParty.run(votes, seq, vote.guildId);
    return reached[0];
  }

  return (counted) => {
    const goal = sql.find.get(counted.vote.guildId);
    if (!goal) return undefined;
    const { period } = goal;
    return period === 'party' ? reachParty(goal, counted) : reachTimed({ ...goal, period }, counted);
  };
}

/** Takes voided votes out of the count of the next vote party, or adds restored ones. */
export function createPartyCorrection(
  db: Connection,
): (guildId: string, seqs: readonly (number | null)[], sign: 1 | -1) => void {
  const find = db.prepare<[string], { party_seq: number }>(
    `SELECT party_seq FROM vote_goals WHERE guild_id = ? AND period = 'party'`,
  );
  const change = db.prepare<[number, string]>(
    'UPDATE vote_goals SET party_votes = max(0, party_votes + ?) WHERE guild_id = ?',
  );
  return (guildId, seqs, sign) => {
    const party = find.get(guildId);
    if (!party) return;
    const counted = seqs.filter((seq) => seq !== null && seq > party.party_seq).length;
    if (counted > 0) change.run(sign * counted, guildId);
  };
}

/** Each uses a primary key. */
function prepare(db: Connection) {
  return {
    find: db.prepare<[string], GoalRow>(
      'SELECT period, target, party_votes FROM vote_goals WHERE guild_id = ?',
    ),
    isReached: db.prepare<[string, Instant, string, number]>(
      'SELECT 1 FROM reached_goals WHERE guild_id = ? AND starts_at = ? AND period = ? AND target = ?',
    ),
    countHours: db.prepare<[string, Instant, Instant], { votes: number }>(
      'SELECT sum(votes) AS votes FROM hourly_votes WHERE guild_id = ? AND hour >= ? AND hour < ?',
    ),
    reach: db.prepare<[string, Instant, string, number, Instant]>(
      'INSERT INTO reached_goals (guild_id, starts_at, period, target, reached_at) VALUES (?, ?, ?, ?, ?)',
    ),
    countParty: db.prepare<[number, string]>('UPDATE vote_goals SET party_votes = ? WHERE guild_id = ?'),
    startParty: db.prepare<[number, number, string]>(
      'UPDATE vote_goals SET party_votes = ?, party_seq = ? WHERE guild_id = ?',
    ),
  };
}

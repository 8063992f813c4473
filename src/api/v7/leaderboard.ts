import { currentMonth, type Period, wholeMonth } from '../../domain/votes/period.ts';
import type { OperationId } from '../openapi/operations.ts';
import { Leaderboard, LeaderboardQuery } from '../schemas/leaderboard.ts';
import type { V7Deps, V7Instance } from './deps.ts';
import { callerGuild, requirePremium } from './guard.ts';

export const LEADERBOARD_PATH = '/guild/leaderboard';

/** Who voted most in a month. Nothing is cached, so a voided vote is gone from the next response. */
export function leaderboardRoute(app: V7Instance, { store, clock }: V7Deps): void {
  const operationId: OperationId = 'getLeaderboard';
  const schema = { operationId, querystring: LeaderboardQuery, response: { 200: Leaderboard } };
  const options = { schema, preValidation: requirePremium(clock) };
  app.get(LEADERBOARD_PATH, options, async (request): Promise<Leaderboard> => {
    const { guildId } = callerGuild(request);
    const { month = monthText(currentMonth(clock())), limit } = request.query;
    const period = wholeMonth(Date.parse(`${month}-01T00:00:00.000Z`));
    const [voters, total] = await Promise.all([
      store.votes.topVoters(guildId, period, limit),
      store.votes.countInMonth(guildId, period.from),
    ]);
    return {
      ok: true,
      guild_id: guildId,
      month,
      total,
      voters: voters.map(({ userId, votes }, index) => ({ rank: index + 1, user_id: userId, votes })),
    };
  });
}

function monthText({ from }: Period): string {
  return new Date(from).toISOString().slice(0, 'YYYY-MM'.length);
}

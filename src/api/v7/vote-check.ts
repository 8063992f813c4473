import type { HookHandlerDoneFunction as Done, FastifyReply, FastifyRequest } from 'fastify';
import { formatInstant } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { isRecord } from '../../domain/text.ts';
import { type CooldownState, cooldownAt } from '../../domain/votes/cooldown.ts';
import type { OperationId } from '../openapi/operations.ts';
import { VoteCheckQuery, VoteCheckResult } from '../schemas.ts';
import type { V7Deps, V7Instance } from './deps.ts';
import { knownCaller } from './guard.ts';

/** `/check-vote` is the name that integrations in the wild call; it is the same endpoint. */
const OPERATIONS: Record<string, OperationId> = {
  '/vote-check': 'checkVote',
  '/check-vote': 'checkVoteAlias',
};
export const VOTE_CHECK_PATHS = Object.keys(OPERATIONS);

export function voteCheckRoutes(app: V7Instance, { clock }: V7Deps): void {
  for (const [path, operationId] of Object.entries(OPERATIONS)) {
    const schema = { operationId, querystring: VoteCheckQuery, response: { 200: VoteCheckResult } };
    app.get(path, { schema, preValidation: requireOneIdentifier }, async (request) => {
      const { guild, vote } = knownCaller(request);
      return toResult(guild.guildId, cooldownAt(clock(), vote));
    });
  }
}

/** Before validation: two identifiers are an error whatever their values. */
function requireOneIdentifier(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const { discord_id, external_id } = isRecord(request.query) ? request.query : {};
  if (discord_id && external_id) throw new ApiError('MULTIPLE_IDENTIFIERS');
  if (!discord_id && !external_id) throw new ApiError('MISSING_IDENTIFIER');
  done();
}

function toResult(guildId: string, state: CooldownState): VoteCheckResult {
  return {
    ok: true,
    guild_id: guildId,
    has_voted: state.hasVoted,
    is_doubled: state.isDoubled,
    last_vote_at: state.lastVoteAt === null ? null : formatInstant(state.lastVoteAt),
    next_vote_at: state.nextVoteAt === null ? null : formatInstant(state.nextVoteAt),
    cooldown_remaining_seconds: state.remainingSeconds,
  };
}

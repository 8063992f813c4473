import type { HookHandlerDoneFunction as Done, FastifyReply, FastifyRequest } from 'fastify';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import { type CooldownState, cooldownAt, recentWindow } from '../../domain/cooldown.ts';
import { ApiError } from '../../domain/errors.ts';
import { isRecord } from '../../domain/record.ts';
import type { Vote } from '../../domain/vote.ts';
import type { VoteStore } from '../../store/store.ts';
import type { OperationId } from '../openapi/operations.ts';
import { callerOf } from './caller.ts';
import type { V7Deps, V7Instance } from './deps.ts';
import { callerGuild } from './require.ts';
import { VoteCheckQuery, VoteCheckResult } from './schemas.ts';
import { writeVoteCheck } from './write-vote-check.ts';

/** `/check-vote` is the name that integrations in the wild call; it is the same endpoint. */
const OPERATIONS: Record<string, OperationId> = {
  '/vote-check': 'checkVote',
  '/check-vote': 'checkVoteAlias',
};
export const VOTE_CHECK_PATHS = Object.keys(OPERATIONS);

export function voteCheckRoutes(app: V7Instance, { store, clock }: V7Deps): void {
  for (const [path, operationId] of Object.entries(OPERATIONS)) {
    const schema = { operationId, querystring: VoteCheckQuery, response: { 200: VoteCheckResult } };
    const options = { schema, preValidation: requireOneIdentifier, serializerCompiler: () => writeVoteCheck };
    app.get(path, options, async (request) => {
      const { guildId } = callerGuild(request);
      const now = clock();
      const { vote } = callerOf(request).latest ?? {
        vote: await latestVote(store.votes, guildId, request.query, now),
      };
      return toResult(guildId, cooldownAt(now, vote));
    });
  }
}

/** Comes before any look at the values: two identifiers are a mistake whatever they hold. */
function requireOneIdentifier(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const { discord_id, external_id } = isRecord(request.query) ? request.query : {};
  if (discord_id && external_id) throw new ApiError('MULTIPLE_IDENTIFIERS');
  if (!discord_id && !external_id) throw new ApiError('MISSING_IDENTIFIER');
  done();
}

function latestVote(
  votes: VoteStore,
  guildId: string,
  { discord_id, external_id = '' }: VoteCheckQuery,
  now: Instant,
): Promise<Vote | undefined> {
  const window = recentWindow(now);
  if (discord_id) return votes.latestOfUser(guildId, discord_id, window);
  return votes.latestOfExternalId(guildId, external_id, window);
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

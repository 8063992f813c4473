import type { HookHandlerDoneFunction as Done, FastifyReply, FastifyRequest } from 'fastify';
import { formatInstant } from '../../domain/clock.ts';
import { ApiError, ValidationError } from '../../domain/errors.ts';
import { isWellEncoded } from '../../domain/percent-encoding.ts';
import { isRecord } from '../../domain/text.ts';
import { type CooldownState, cooldownAt, recentWindow } from '../../domain/votes/vote.ts';
import type { OperationId } from '../openapi/operations.ts';
import { VoteCheckQuery, VoteCheckResult, VoteChecksQuery, VoteChecksResult } from '../schemas/votes.ts';
import type { V7Deps, V7Instance } from './access.ts';
import { callerGuild, knownCaller } from './access.ts';

/** `/check-vote` is an alias that existing integrations use. */
const OPERATIONS: Record<string, OperationId> = {
  '/vote-check': 'checkVote',
  '/check-vote': 'checkVoteAlias',
};
export const VOTE_CHECK_PATHS = Object.keys(OPERATIONS);
export const VOTE_CHECKS_PATH = '/vote-checks';

export function voteCheckRoutes(app: V7Instance, { clock }: V7Deps): void {
  for (const [path, operationId] of Object.entries(OPERATIONS)) {
    const schema = { operationId, querystring: VoteCheckQuery, response: { 200: VoteCheckResult } };
    app.get(
      path,
      { schema, preValidation: requireOneIdentifier },
      async (request): Promise<VoteCheckResult> => {
        const { guild, vote } = knownCaller(request);
        return { ok: true, guild_id: guild.guildId, ...toCheckFields(cooldownAt(clock(), vote)) };
      },
    );
  }
}

/** Up to 50 users in one request, which counts once. Identifiers are repeated, all of one kind. */
export function voteChecksRoute(app: V7Instance, { store, clock }: V7Deps): void {
  const operationId: OperationId = 'checkVotes';
  const schema = { operationId, querystring: VoteChecksQuery, response: { 200: VoteChecksResult } };
  app.get(
    VOTE_CHECKS_PATH,
    { schema, preValidation: requireOneIdentifier },
    async (request): Promise<VoteChecksResult> => {
      const { guildId } = callerGuild(request);
      const kind = request.query.discord_id ? 'discord_id' : 'external_id';
      const identifiers = request.query[kind] ?? [];
      const now = clock();
      const votes = await store.votes.latestOfMany(
        guildId,
        kind === 'discord_id' ? 'userId' : 'externalId',
        identifiers,
        recentWindow(now),
      );
      const results = identifiers.map((identifier, i) => ({
        [kind]: identifier,
        ...toCheckFields(cooldownAt(now, votes[i])),
      }));
      return { ok: true, guild_id: guildId, results };
    },
  );
}

/** Runs before validation: two identifiers are an error regardless of their values. */
export function requireOneIdentifier(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const { discord_id, external_id } = isRecord(request.query) ? request.query : {};
  const given = [discord_id, external_id].filter(isGiven).length;
  if (given > 1) throw new ApiError('MULTIPLE_IDENTIFIERS');
  if (given === 0) throw new ApiError('MISSING_IDENTIFIER');
  // Any text can be an external id, so no other rule rejects a malformed one: it would just have no votes.
  if (!isWellEncoded(request.url, 'external_id')) {
    throw new ValidationError([{ field: 'external_id', rule: 'encoding' }]);
  }
  done();
}

/** Empty values count as absent, including those of a repeated parameter. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.some(Boolean) : Boolean(value);
}

function toCheckFields(state: CooldownState): Omit<VoteCheckResult, 'ok' | 'guild_id'> {
  return {
    has_voted: state.hasVoted,
    is_doubled: state.isDoubled,
    last_vote_at: state.lastVoteAt === null ? null : formatInstant(state.lastVoteAt),
    next_vote_at: state.nextVoteAt === null ? null : formatInstant(state.nextVoteAt),
    cooldown_remaining_seconds: state.remainingSeconds,
  };
}

import { ApiError } from '../../domain/errors.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import type { OperationId } from '../openapi/operations.ts';
import { UserVoteList, UserVotesParams, VoteListQuery } from '../schemas.ts';
import type { V7Deps, V7Instance } from './deps.ts';
import { callerGuild, requirePremium } from './guard.ts';
import { listVotes, writeVoteList } from './vote-list.ts';

export const USER_VOTES_PATH = '/guild/votes/users/:user_id';

export function userVotesRoute(app: V7Instance, deps: V7Deps): void {
  const operationId: OperationId = 'listUserVotes';
  const schema = {
    operationId,
    params: UserVotesParams,
    querystring: VoteListQuery,
    response: { 200: UserVoteList },
  };

  const options = {
    schema,
    preValidation: requirePremium(deps.clock),
    serializerCompiler: () => writeVoteList,
  };
  app.get(USER_VOTES_PATH, options, async (request) => {
    const { guildId } = callerGuild(request);
    const userId = request.params.user_id;
    if (!isSnowflake(userId)) throw new ApiError('INVALID_USER_ID');
    const { ok, guild_id, ...list } = await listVotes(deps, { guildId, userId }, request.query);
    return { ok, guild_id, user_id: userId, ...list };
  });
}

import type { OperationId } from '../openapi/operations.ts';
import { VoteList, VoteListQuery } from '../schemas.ts';
import type { V7Deps, V7Instance } from './deps.ts';
import { callerGuild, requirePremium } from './guard.ts';
import { listVotes, writeVoteList } from './vote-list.ts';

export const GUILD_VOTES_PATH = '/guild/votes';

export function guildVotesRoute(app: V7Instance, deps: V7Deps): void {
  const operationId: OperationId = 'listGuildVotes';
  const schema = { operationId, querystring: VoteListQuery, response: { 200: VoteList } };

  const options = {
    schema,
    preValidation: requirePremium(deps.clock),
    serializerCompiler: () => writeVoteList,
  };
  app.get(GUILD_VOTES_PATH, options, async (request) => {
    const { guildId } = callerGuild(request);
    return listVotes(deps, { guildId, userId: null }, request.query);
  });
}

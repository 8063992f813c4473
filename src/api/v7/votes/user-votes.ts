/** `GET /guild/votes/users/{user_id}`: the votes of one user in a period. */
import { isSnowflake } from '../../../domain/identifiers.ts';
import { ApiError } from '../../errors/api-error.ts';
import { EXAMPLE, type Operation } from '../../openapi/operation.ts';
import { callerGuild } from '../access.ts';
import { type Endpoint, READ } from '../endpoint.ts';
import { GuildId, Ok, UserId } from '../fields.ts';
import { object, type Static } from '../schema.ts';
import {
  EXAMPLE_ENTRY,
  EXAMPLE_PERIOD,
  listOperation,
  listRoute,
  listVotes,
  sendVoteList,
  VoteListQuery,
  voteListFields,
} from './vote-list.ts';

const PATH = '/guild/votes/users/:user_id';

/** Only for the OpenAPI document: an invalid id has its own error code, so the schema does not validate the path. */
const UserVotesParams = object('UserVotesParams', {
  user_id: { ...UserId, description: 'Discord id of the user.' },
});

const UserVoteList = object('UserVoteList', {
  ok: Ok,
  guild_id: GuildId,
  user_id: { type: 'string', description: 'The requested user.' },
  ...voteListFields,
});

type UserVoteList = Static<typeof UserVoteList>;

const example: UserVoteList = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  user_id: EXAMPLE.userId,
  votes: [EXAMPLE_ENTRY],
  total: 1,
  pagination: { limit: 100, has_more: false, next_cursor: null },
  period: EXAMPLE_PERIOD,
};

const operation: Operation = {
  ...listOperation,
  operationId: 'listUserVotes',
  summary: 'The votes of one user',
  description:
    'Lists the votes of one user, with the same parameters and limits as `/v7/guild/votes`. Premium communities only.',
  examples: { page: { summary: 'All votes of a user on one page', value: example } },
  codes: ['INVALID_USER_ID', ...listOperation.codes],
};

const schema = {
  operation,
  params: UserVotesParams,
  querystring: VoteListQuery,
  response: { 200: UserVoteList },
};

export const userVotes: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, deps) => {
    app.get(PATH, listRoute(schema, deps), async (request, reply) => {
      const { guildId } = callerGuild(request);
      const userId = request.params.user_id;
      if (!isSnowflake(userId)) throw new ApiError('INVALID_USER_ID');
      const { ok, guild_id, ...list } = await listVotes(deps, { guildId, userId }, request.query);
      return sendVoteList(reply, { ok, guild_id, user_id: userId, ...list });
    });
  },
};

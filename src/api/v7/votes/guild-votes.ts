/** `GET /guild/votes`: all votes of a period. */
import { EXAMPLE, type Operation } from '../../openapi/operation.ts';
import { callerGuild } from '../access.ts';
import { type Endpoint, READ } from '../endpoint.ts';
import {
  EXAMPLE_ENTRY,
  EXAMPLE_PERIOD,
  listOperation,
  listRoute,
  listVotes,
  sendVoteList,
  VoteList,
  VoteListQuery,
} from './vote-list.ts';

const PATH = '/guild/votes';

const example: VoteList = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  votes: [
    { user_id: '200000000000000029', timestamp: '2026-11-01T04:23:58.842Z', is_doubled: true },
    EXAMPLE_ENTRY,
  ],
  total: 139,
  pagination: { limit: 2, has_more: true, next_cursor: 'MTc5MzQ5NTgzODg0Mg.Bx_8' },
  period: EXAMPLE_PERIOD,
};

const operation: Operation = {
  ...listOperation,
  operationId: 'listGuildVotes',
  summary: 'All votes of a period',
  description:
    'Lists the votes for your community over a period of at most 31 days, oldest first. Premium communities only. ' +
    'Continue with `pagination.next_cursor` until it is `null`: every vote is returned exactly once, even if new votes are cast in the meantime.',
  examples: { page: { summary: 'The first page, with two votes', value: example } },
};

const schema = { operation, querystring: VoteListQuery, response: { 200: VoteList } };

export const guildVotes: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, deps) => {
    app.get(PATH, listRoute(schema, deps), async (request, reply) => {
      const { guildId } = callerGuild(request);
      return sendVoteList(reply, await listVotes(deps, { guildId, userId: null }, request.query));
    });
  },
};

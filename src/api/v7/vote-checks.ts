/** `GET /vote-checks`: which of up to 50 users have voted. It counts as one request. */
import { cooldownAt, recentWindow } from '../../domain/votes/vote.ts';
import { EXAMPLE, type Operation, WITH_IDENTIFIER } from '../openapi/operation.ts';
import { callerGuild } from './access.ts';
import { type Endpoint, READ } from './endpoint.ts';
import {
  batchParameters,
  batchResult,
  MAX_BATCH_SIZE,
  readBatch,
  requireOneIdentifier,
} from './identifiers.ts';
import { query, type Static } from './schema.ts';
import { checkFields, NOT_VOTED_EXAMPLE, toCheckFields, VOTED_EXAMPLE } from './vote-check.ts';

const PATH = '/vote-checks';

const VoteChecksQuery = query(batchParameters);

const VoteChecksResult = batchResult('VoteChecksResult', {
  entryTitle: 'VoteCheckEntry',
  fields: checkFields,
});

type VoteChecksResult = Static<typeof VoteChecksResult>;

const example: VoteChecksResult = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  results: [
    { external_id: EXAMPLE.externalId, ...VOTED_EXAMPLE },
    { external_id: 'Alex', ...NOT_VOTED_EXAMPLE },
  ],
};

const operation: Operation = {
  operationId: 'checkVotes',
  tag: 'Votes',
  needsKey: true,
  summary: 'Which of these users have voted?',
  description:
    'Checks up to 50 users at once. Repeat either `discord_id` or `external_id`, not both: ' +
    '`?external_id=Steve_42&external_id=Alex`. Counts as one request.',
  success: 'One result for each identifier, in the order of the request.',
  examples: { mixed: { summary: 'One of two has voted', value: example } },
  codes: WITH_IDENTIFIER,
  fault: { field: 'discord_id', rule: 'maxItems', bound: MAX_BATCH_SIZE },
};

const schema = { operation, querystring: VoteChecksQuery, response: { 200: VoteChecksResult } };

export const voteChecks: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, { store, clock }) => {
    const options = { schema, preValidation: requireOneIdentifier };
    app.get(PATH, options, async (request): Promise<VoteChecksResult> => {
      const { guildId } = callerGuild(request);
      const { kind, identifiers } = readBatch(request.query);
      const by = kind === 'discord_id' ? 'userId' : 'externalId';
      const now = clock();
      const votes = await store.votes.latestOfMany(guildId, by, identifiers, recentWindow(now));
      const results = identifiers.map((identifier, i) => ({
        [kind]: identifier,
        ...toCheckFields(cooldownAt(now, votes[i])),
      }));
      return { ok: true, guild_id: guildId, results };
    });
  },
};

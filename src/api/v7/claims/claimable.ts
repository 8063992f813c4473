/** `GET /guild/claimable`: which of up to 50 users have votes to claim. It counts as one request. */
import { claimWindow } from '../../../domain/votes/vote.ts';
import { EXAMPLE, type Operation } from '../../openapi/operation.ts';
import { callerGuild } from '../access.ts';
import { type Endpoint, READ } from '../endpoint.ts';
import {
  batchParameters,
  batchResult,
  MAX_BATCH_SIZE,
  readBatch,
  requireOneIdentifier,
} from '../identifiers.ts';
import { query, type Static } from '../schema.ts';
import { claimOperation, DefaultedConsumer, DefaultedWithinHours } from './claim-query.ts';

const PATH = '/guild/claimable';

const ClaimableQuery = query({
  ...batchParameters,
  within_hours: DefaultedWithinHours,
  consumer: DefaultedConsumer,
});

const ClaimableResult = batchResult('ClaimableResult', {
  entryTitle: 'ClaimableEntry',
  fields: { claimable: { type: 'integer', minimum: 0, description: 'Votes that can be claimed now.' } },
});

type ClaimableResult = Static<typeof ClaimableResult>;

const example: ClaimableResult = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  results: [
    { external_id: EXAMPLE.externalId, claimable: 2 },
    { external_id: 'Alex', claimable: 0 },
  ],
};

const operation: Operation = {
  ...claimOperation,
  operationId: 'countClaimable',
  summary: 'Which of these users have votes to claim?',
  description:
    'Counts the claimable votes of up to 50 users, without changing anything. Repeat either `discord_id` or `external_id`, not both: ' +
    '`?external_id=Steve_42&external_id=Alex`. Counts as one request, so a game server can ask for all its players and claim only where there is something.',
  success: 'The number of claimable votes for each identifier, in the order of the request.',
  examples: { mixed: { summary: 'One of two has votes', value: example } },
  fault: { field: 'external_id', rule: 'maxItems', bound: MAX_BATCH_SIZE },
};

const schema = { operation, querystring: ClaimableQuery, response: { 200: ClaimableResult } };

export const claimable: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, { store, clock }) => {
    const options = { schema, preValidation: requireOneIdentifier };
    app.get(PATH, options, async (request): Promise<ClaimableResult> => {
      const { guildId, oneRewardPerName, playerNames } = callerGuild(request);
      const { kind, identifiers } = readBatch(request.query);
      const counts = await store.claims.countClaimable({
        guildId,
        consumer: request.query.consumer,
        playerNames,
        identities: kind === 'discord_id' ? { userIds: identifiers } : { externalIds: identifiers },
        window: claimWindow(clock(), request.query.within_hours),
        oneRewardPerName,
      });
      const results = identifiers.map((identifier, i) => ({
        [kind]: identifier,
        claimable: counts[i] ?? 0,
      }));
      return { ok: true, guild_id: guildId, results };
    });
  },
};

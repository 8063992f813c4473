/** `DELETE /guild/claims/{vote_id}`: releases a claim whose reward could not be delivered. */
import type { Instant } from '../../../domain/clock.ts';
import { parseIsoDate } from '../../../domain/votes/period.ts';
import { VOTE_ID_PATTERN } from '../../../domain/votes/vote.ts';
import { ApiError } from '../../errors/api-error.ts';
import { EXAMPLE, type Operation, WITH_KEY } from '../../openapi/operation.ts';
import { callerGuild } from '../access.ts';
import type { Endpoint } from '../endpoint.ts';
import { GuildId, Ok } from '../fields.ts';
import { object, query, type Static } from '../schema.ts';
import { DefaultedConsumer } from './claim-query.ts';

const PATH = '/guild/claims/:vote_id';

/** Only for the OpenAPI document: a malformed id has its own error code, so the schema does not validate the path. */
const VoteIdParams = object('VoteIdParams', {
  vote_id: {
    type: 'string',
    description: '`vote_id` of the claimed vote.',
    examples: ['vote_0123456789abcdef0123456789abcdef'],
  },
});

const ReleaseQuery = query({
  consumer: DefaultedConsumer,
  // Not validated as a date here: an invalid one is INVALID_DATE.
  claimed_at: {
    type: 'string',
    description:
      '`claimed_at` of your claim. If the vote is not claimed any more, or was claimed again since, nothing changes. ' +
      'Without it the claim is released whoever holds it.',
    examples: ['2026-11-15T12:00:00.000Z'],
  },
});

const ReleaseResult = object('ReleaseResult', {
  ok: Ok,
  guild_id: GuildId,
  released: {
    type: 'boolean',
    description:
      '`true` if the claim was released; `false` if the vote is unknown, is not claimed, or `claimed_at` is not the time of its claim.',
  },
});

type ReleaseResult = Static<typeof ReleaseResult>;

const example: ReleaseResult = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  released: true,
};

const operation: Operation = {
  operationId: 'releaseClaim',
  tag: 'Claims',
  needsKey: true,
  summary: 'Release a claim',
  description:
    'Makes a vote that `consumer` has claimed claimable again. Use it when the reward could not be delivered. Send `claimed_at` of your claim: a repeated request then never releases a later claim. ' +
    'The `Idempotency-Key` of the released claim counts as unused afterwards.',
  success: 'Whether a claim was released.',
  examples: { released: { summary: 'Released', value: example } },
  codes: ['INVALID_VOTE_ID', 'INVALID_DATE', ...WITH_KEY],
  fault: { field: 'locale', rule: 'string' },
};

const schema = {
  operation,
  params: VoteIdParams,
  querystring: ReleaseQuery,
  response: { 200: ReleaseResult },
};

export const releaseClaim: Endpoint = {
  path: PATH,
  methods: ['DELETE'],
  register: (app, { store }) => {
    app.delete(PATH, { schema }, async (request): Promise<ReleaseResult> => {
      const { guildId } = callerGuild(request);
      const { vote_id: voteId } = request.params;
      if (!VOTE_ID_PATTERN.test(voteId)) throw new ApiError('INVALID_VOTE_ID');
      const { consumer, claimed_at } = request.query;
      const claimedAt = readClaimedAt(claimed_at);
      const released = await store.claims.release({ guildId, consumer, voteId, claimedAt });
      return { ok: true, guild_id: guildId, released };
    });
  },
};

/** Null if it is absent: then the claim is released whoever holds it. */
function readClaimedAt(text: string | undefined): Instant | null {
  if (!text) return null;
  const claimedAt = parseIsoDate(text);
  if (claimedAt === undefined) throw new ApiError('INVALID_DATE');
  return claimedAt;
}

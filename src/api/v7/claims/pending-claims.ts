/** `GET /guild/claims/pending`: every unclaimed vote of the community. */
import { DEFAULT_CONSUMER } from '../../../domain/votes/consumers.ts';
import {
  claimWindow,
  DEFAULT_WITHIN_HOURS,
  positionOf,
  type VotePosition,
} from '../../../domain/votes/vote.ts';
import { ApiError } from '../../errors/api-error.ts';
import { EXAMPLE, type Operation, WITH_KEY } from '../../openapi/operation.ts';
import { callerGuild, requirePremium } from '../access.ts';
import { openCursor, sealCursor } from '../cursor.ts';
import { type Endpoint, READ } from '../endpoint.ts';
import { GuildId, LimitParameter, Ok, Pagination } from '../fields.ts';
import { EXAMPLE_VOTE } from '../identified-vote.ts';
import { object, query, type Static } from '../schema.ts';
import { Consumer, claimOperation, WithinHours } from './claim-query.ts';
import { ClaimableVote, toClaimableVote } from './claimable-vote.ts';

const PATH = '/guild/claims/pending';

const PendingQuery = query({
  // No default here: with a cursor, only a value that was actually sent can conflict with that of the first page.
  within_hours: WithinHours,
  consumer: Consumer,
  cursor: {
    type: 'string',
    description:
      '`pagination.next_cursor` of the previous page, unchanged. It contains `within_hours` and `consumer`, which can then be omitted.',
  },
  limit: LimitParameter,
});

const PendingClaims = object('PendingClaims', {
  ok: Ok,
  guild_id: GuildId,
  votes: { type: 'array', items: ClaimableVote, description: 'Unclaimed votes, oldest first.' },
  pagination: Pagination,
});

type PendingClaims = Static<typeof PendingClaims>;

const example: PendingClaims = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  votes: [{ ...EXAMPLE_VOTE, claimed_at: null }],
  pagination: { limit: 100, has_more: false, next_cursor: null },
};

const operation: Operation = {
  ...claimOperation,
  operationId: 'listPendingClaims',
  summary: 'All unclaimed votes',
  description:
    'Lists every vote of your community within `within_hours` that `consumer` has not claimed, oldest first. Premium communities only.',
  success: 'One page of unclaimed votes, oldest first.',
  examples: { page: { summary: 'A page with one vote', value: example } },
  codes: ['INVALID_CURSOR', 'PREMIUM_REQUIRED', ...WITH_KEY],
};

const schema = { operation, querystring: PendingQuery, response: { 200: PendingClaims } };

export const pendingClaims: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, { store, clock, secrets }) => {
    const options = { schema, preValidation: requirePremium(clock) };
    app.get(PATH, options, async (request): Promise<PendingClaims> => {
      const { guildId } = callerGuild(request);
      const { cursor: text, within_hours: withinHours, limit } = request.query;
      const scope = ['pending', guildId];
      const cursor = text ? readCursor(openCursor(text, scope, secrets.cursorKey)) : undefined;
      if (cursor && (withinHours ?? cursor.withinHours) !== cursor.withinHours)
        throw new ApiError('INVALID_CURSOR');
      if (cursor && (request.query.consumer ?? cursor.consumer) !== cursor.consumer)
        throw new ApiError('INVALID_CURSOR');
      const hours = cursor?.withinHours ?? withinHours ?? DEFAULT_WITHIN_HOURS;
      const consumer = cursor?.consumer ?? request.query.consumer ?? DEFAULT_CONSUMER;
      const window = claimWindow(clock(), hours);
      // One extra vote shows whether another page follows.
      const found = await store.claims.pending(
        { guildId, consumer },
        window,
        cursor?.after ?? null,
        limit + 1,
      );
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const totals = await store.votes.totalsOf(page);
      const next = last && sealCursor([hours, last.castAt, last.userId, consumer], scope, secrets.cursorKey);
      return {
        ok: true,
        guild_id: guildId,
        votes: page.map((vote, i) => toClaimableVote({ ...vote, claimedAt: null }, totals[i])),
        pagination: { limit, has_more: next !== undefined, next_cursor: next ?? null },
      };
    });
  },
};

type PendingCursor = { withinHours: number; consumer: string; after: VotePosition };

/** Cursors of earlier versions have no consumer. */
function readCursor(fields: string[] | undefined): PendingCursor {
  if (!fields) throw new ApiError('INVALID_CURSOR');
  const [withinHours, castAt, userId = '', consumer = DEFAULT_CONSUMER] = fields;
  const after = positionOf({ castAt: Number(castAt), userId });
  return { withinHours: Number(withinHours), consumer, after };
}

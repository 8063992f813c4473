/** `GET /guild/claims/pending`: every unclaimed vote of the community. */
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
import { claimOperation, WithinHours } from './claim-query.ts';
import { ClaimableVote, toClaimableVote } from './claimable-vote.ts';

const PATH = '/guild/claims/pending';

const PendingQuery = query({
  // No default here: with a cursor, only a value that was actually sent can conflict with that of the first page.
  within_hours: WithinHours,
  cursor: {
    type: 'string',
    description:
      '`pagination.next_cursor` of the previous page, unchanged. It contains `within_hours`, which can then be omitted.',
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
    'Lists every unclaimed vote of your community within `within_hours`, oldest first. Premium communities only.',
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
      if (cursor && withinHours !== undefined && withinHours !== cursor.withinHours) {
        throw new ApiError('INVALID_CURSOR');
      }
      const hours = cursor?.withinHours ?? withinHours ?? DEFAULT_WITHIN_HOURS;
      const window = claimWindow(clock(), hours);
      // One extra vote shows whether another page follows.
      const found = await store.claims.pending(guildId, window, cursor?.after ?? null, limit + 1);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const next = last && sealCursor([hours, last.castAt, last.userId], scope, secrets.cursorKey);
      return {
        ok: true,
        guild_id: guildId,
        votes: page.map((vote) => toClaimableVote({ ...vote, claimedAt: null })),
        pagination: { limit, has_more: next !== undefined, next_cursor: next ?? null },
      };
    });
  },
};

function readCursor(fields: string[] | undefined): { withinHours: number; after: VotePosition } {
  if (!fields) throw new ApiError('INVALID_CURSOR');
  const [withinHours, castAt, userId = ''] = fields;
  return { withinHours: Number(withinHours), after: positionOf({ castAt: Number(castAt), userId }) };
}

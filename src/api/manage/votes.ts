/** `POST /votes`: a site that has its own voting page casts a vote for its user. */

import { formatInstant } from '../../domain/clock.ts';
import { EXTERNAL_ID_MAX_LENGTH, isLinkableExternalId } from '../../domain/identifiers.ts';
import { MAINTENANCE_RETRY_SECONDS } from '../../domain/maintenance.ts';
import { type Vote, voteId } from '../../domain/votes/vote.ts';
import { createCastLog } from '../../moderation/cast-votes.ts';
import { UnknownGuildError } from '../../store/store.ts';
import type { VoteOutcome } from '../../voting/cast-vote.ts';
import { ApiError } from '../errors/api-error.ts';
import { ValidationError } from '../errors/validation-error.ts';
import { DateTime, Ok, UserId } from '../v7/fields.ts';
import { object, type Static } from '../v7/schema.ts';
import { callerToken } from './access.ts';
import { type ManageEndpoint, moderatorOf } from './endpoint.ts';
import { GuildIdField, NoParameters, postOperation } from './fields.ts';
import { requireGuild } from './guild.ts';
import { runOnce } from './idempotency.ts';

const PATH = '/votes';

const NewVote = object(
  'NewVote',
  {
    guild_id: GuildIdField,
    user_id: { ...UserId, description: 'The Discord id of the voter, whom your site has signed in.' },
    external_id: {
      type: ['string', 'null'],
      maxLength: EXTERNAL_ID_MAX_LENGTH,
      description: 'The name of the voter in the community, for example in its game.',
      examples: ['Steve_42'],
    },
    network: {
      type: ['string', 'null'],
      format: 'ip',
      description:
        'The IP address of the voter. It is used for the limits per network, and stored only as a keyed hash. Without it these limits do not apply.',
      examples: ['198.51.100.7'],
    },
  },
  ['external_id', 'network'],
);

const CastVote = object('CastVote', {
  vote_id: { type: 'string', description: 'Identifies the vote, as in claims, the feed and webhooks.' },
  guild_id: { type: 'string' },
  user_id: { type: 'string' },
  external_id: { type: ['string', 'null'] },
  timestamp: { ...DateTime, description: 'When the vote was cast.' },
  is_doubled: { type: 'boolean', description: 'Whether the vote counts twice.' },
});

const CastResult = object('CastResult', {
  ok: Ok,
  vote: CastVote,
  next_vote_at: { ...DateTime, description: 'When the user can vote for this community again.' },
});

type CastResult = Static<typeof CastResult>;

const example: CastResult = {
  ok: true,
  vote: {
    vote_id: 'vote_0123456789abcdef0123456789abcdef',
    guild_id: '100000000000000001',
    user_id: '200000000000000001',
    external_id: 'Steve_42',
    timestamp: '2026-11-15T12:00:00.000Z',
    is_doubled: false,
  },
  next_vote_at: '2026-11-15T13:00:00.000Z',
};

const castVote = postOperation({
  operationId: 'castVote',
  tag: 'Votes',
  scope: 'votes:write',
  summary: 'Cast a vote',
  description:
    'Casts a vote as the voting page does: webhooks, the feed, claims and reminders follow, and a user can vote for a community once per hour, whatever the number of concurrent requests. ' +
    'Your site vouches for the voter: no signed link and no challenge is required, and whether the voter is a member of the community is not checked.',
  success: 'The vote.',
  examples: { accepted: { summary: 'The vote was cast', value: example } },
  codes: ['GUILD_NOT_FOUND', 'ALREADY_VOTED', 'NOT_ELIGIBLE', 'MAINTENANCE'],
  fault: { field: 'user_id', rule: 'regex', isInBody: true },
});

const schema = {
  operation: castVote,
  querystring: NoParameters,
  body: NewVote,
  response: { 201: CastResult },
};

export const votes: ManageEndpoint = {
  path: PATH,
  methods: ['POST'],
  register: (app, deps) => {
    const { store, voting } = deps;
    const logged = createCastLog();
    app.post(PATH, { schema, config: { scope: 'votes:write' } }, (request, reply) =>
      runOnce(deps, request, reply, async () => {
        const { guild_id: guildId, user_id: userId, external_id: name, network } = request.body;
        const externalId = readExternalId(name);
        const guild = await requireGuild(store, guildId);
        const voter = { userId, address: network ?? null, isMember: async () => true };
        const ballot = { guild, voter, externalId, signature: 'trusted', solution: 'waived' } as const;
        const { tokenId } = callerToken(request);
        const outcome = await logged(moderatorOf(request, deps), tokenId, () => voting.cast(ballot)).catch(
          rethrowUnknownGuild,
        );
        return { status: 201, body: toResult(outcome) };
      }),
    );
  },
};

function readExternalId(name: string | null | undefined): string | null {
  if (name === null || name === undefined) return null;
  if (isLinkableExternalId(name)) return name;
  throw new ValidationError([{ field: 'external_id', rule: 'regex', isInBody: true }]);
}

/** The guild was removed in between. */
function rethrowUnknownGuild(error: unknown): never {
  throw error instanceof UnknownGuildError ? new ApiError('GUILD_NOT_FOUND') : error;
}

function toResult(outcome: VoteOutcome): CastResult {
  switch (outcome.kind) {
    case 'accepted':
      return { ok: true, vote: toCastVote(outcome.vote), next_vote_at: formatInstant(outcome.canVoteAt) };
    case 'cooldown':
      throw new ApiError('ALREADY_VOTED', { next_vote_at: formatInstant(outcome.canVoteAt) });
    case 'banned':
      throw new ApiError('NOT_ELIGIBLE', { reason: 'banned' });
    case 'young_account':
      throw new ApiError('NOT_ELIGIBLE', { reason: 'account_too_young' });
    case 'sanctioned':
      throw new ApiError('NOT_ELIGIBLE', { reason: 'sanctioned' });
    case 'maintenance':
      throw new ApiError('MAINTENANCE', {
        retry_after: MAINTENANCE_RETRY_SECONDS,
        ...(outcome.message === null ? {} : { message: outcome.message }),
      });
    case 'busy_network':
      throw new ApiError('NOT_ELIGIBLE', { reason: 'network' });
    default:
      throw new Error(`a trusted vote cannot be refused because of ${outcome.kind}`);
  }
}

function toCastVote(vote: Vote): CastResult['vote'] {
  return {
    vote_id: voteId(vote),
    guild_id: vote.guildId,
    user_id: vote.userId,
    external_id: vote.externalId,
    timestamp: formatInstant(vote.castAt),
    is_doubled: vote.isDoubled,
  };
}

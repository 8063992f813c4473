import type { XStatic as Static } from 'typebox/schema';
import { DEFAULT_WITHIN_HOURS, MAX_LISTED_CLAIMS, MAX_WITHIN_HOURS } from '../../domain/votes/vote.ts';
import {
  commonParameters,
  DateTime,
  GuildId,
  identifierLists,
  identifierParameters,
  LimitParameter,
  MAX_BATCH_SIZE,
  NullableDateTime,
  Ok,
  Pagination,
  sentIdentifier,
} from './parts.ts';

const WithinHours = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_WITHIN_HOURS,
  description: `How many hours back to look for votes. Default: ${DEFAULT_WITHIN_HOURS}.`,
} as const;

export const ClaimQuery = {
  type: 'object',
  properties: {
    ...identifierParameters,
    within_hours: { ...WithinHours, default: DEFAULT_WITHIN_HOURS },
    ...commonParameters,
  },
  required: ['within_hours'],
} as const;

export type ClaimQuery = Static<typeof ClaimQuery>;

const vote = {
  vote_id: { type: 'string', description: 'Identifies the vote, here and in webhooks.' },
  user_id: { type: 'string', description: 'Discord id of the user.' },
  external_id: {
    type: ['string', 'null'],
    description: 'The name in the vote link; `null` when the link had none.',
  },
  timestamp: { ...DateTime, description: 'When the vote was cast.' },
  is_doubled: { type: 'boolean', description: 'Whether the vote is worth double rewards.' },
} as const;

const VOTE_FIELDS = ['vote_id', 'user_id', 'external_id', 'timestamp', 'is_doubled'] as const;

const ClaimedVote = {
  title: 'ClaimedVote',
  type: 'object',
  properties: { ...vote, claimed_at: { ...DateTime, description: 'When the vote was claimed.' } },
  required: [...VOTE_FIELDS, 'claimed_at'],
} as const;

const ClaimableVote = {
  title: 'ClaimableVote',
  type: 'object',
  properties: {
    ...vote,
    claimed_at: {
      ...NullableDateTime,
      description: 'When the vote was claimed; `null` while it can still be claimed.',
    },
  },
  required: [...VOTE_FIELDS, 'claimed_at'],
} as const;

export const ClaimResult = {
  title: 'ClaimResult',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    claimed: {
      type: 'boolean',
      description: 'Whether this request claimed a vote. Grant the reward only if it is `true`.',
    },
    vote: {
      anyOf: [ClaimedVote, { type: 'null' }],
      description: 'The claimed vote; `null` when there was none.',
    },
    remaining: { type: 'integer', minimum: 0, description: 'The number of votes that can still be claimed.' },
  },
  required: ['ok', 'guild_id', 'claimed', 'vote', 'remaining'],
} as const;

export type ClaimResult = Static<typeof ClaimResult>;

export const ClaimOverview = {
  title: 'ClaimOverview',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    claimable: { type: 'integer', minimum: 0, description: 'Votes that can be claimed now.' },
    claimed: { type: 'integer', minimum: 0, description: 'Votes in the window that were claimed.' },
    votes: {
      type: 'array',
      items: ClaimableVote,
      maxItems: MAX_LISTED_CLAIMS,
      description: 'The claimed and the claimable votes, oldest first.',
    },
  },
  required: ['ok', 'guild_id', 'claimable', 'claimed', 'votes'],
} as const;

export type ClaimOverview = Static<typeof ClaimOverview>;

export const ClaimableQuery = {
  type: 'object',
  properties: {
    ...identifierLists,
    within_hours: { ...WithinHours, default: DEFAULT_WITHIN_HOURS },
    ...commonParameters,
  },
  required: ['within_hours'],
} as const;

export type ClaimableQuery = Static<typeof ClaimableQuery>;

export const ClaimableResult = {
  title: 'ClaimableResult',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    results: {
      type: 'array',
      maxItems: MAX_BATCH_SIZE,
      description: 'One result per identifier, in the order of the request.',
      items: {
        title: 'ClaimableEntry',
        type: 'object',
        properties: {
          ...sentIdentifier,
          claimable: { type: 'integer', minimum: 0, description: 'Votes that can be claimed now.' },
        },
        required: ['claimable'],
      },
    },
  },
  required: ['ok', 'guild_id', 'results'],
} as const;

export type ClaimableResult = Static<typeof ClaimableResult>;

export const PendingQuery = {
  type: 'object',
  properties: {
    // No default here: with a cursor, only a value that was actually sent can conflict with that of the first page.
    within_hours: WithinHours,
    cursor: {
      type: 'string',
      description:
        '`pagination.next_cursor` of the previous page, unchanged. It contains `within_hours`, which can then be omitted.',
    },
    limit: LimitParameter,
    ...commonParameters,
  },
  required: ['limit'],
} as const;

export type PendingQuery = Static<typeof PendingQuery>;

export const PendingClaims = {
  title: 'PendingClaims',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    votes: { type: 'array', items: ClaimableVote, description: 'Unclaimed votes, oldest first.' },
    pagination: Pagination,
  },
  required: ['ok', 'guild_id', 'votes', 'pagination'],
} as const;

export type PendingClaims = Static<typeof PendingClaims>;

/** Only for the OpenAPI document: a malformed id has its own error code, so the schema does not validate the path. */
export const VoteIdParams = {
  type: 'object',
  properties: {
    vote_id: {
      type: 'string',
      description: '`vote_id` of the claimed vote.',
      examples: ['vote_0123456789abcdef0123456789abcdef'],
    },
  },
  required: ['vote_id'],
} as const;

export const ReleaseQuery = {
  type: 'object',
  properties: {
    // Not validated as a date here: an invalid one is INVALID_DATE.
    claimed_at: {
      type: 'string',
      description:
        '`claimed_at` of your claim. If the vote is not claimed any more, or was claimed again since, nothing changes. ' +
        'Without it the claim is released whoever holds it.',
      examples: ['2026-11-15T12:00:00.000Z'],
    },
    ...commonParameters,
  },
} as const;

export type ReleaseQuery = Static<typeof ReleaseQuery>;

export const ReleaseResult = {
  title: 'ReleaseResult',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    released: {
      type: 'boolean',
      description:
        '`true` if the claim was released; `false` if the vote is unknown, is not claimed, or `claimed_at` is not the time of its claim.',
    },
  },
  required: ['ok', 'guild_id', 'released'],
} as const;

export type ReleaseResult = Static<typeof ReleaseResult>;

const MAX_WAIT_SECONDS = 30;

export const FeedQuery = {
  type: 'object',
  properties: {
    cursor: {
      type: 'string',
      description:
        '`next_cursor` of the previous page, unchanged. Without it, the feed starts at `from`, or now. `INVALID_CURSOR` says why a cursor cannot be continued: start again with `from`.',
    },
    from: {
      type: 'string',
      description:
        'Where the feed starts if there is no cursor: an ISO 8601 date or date-time, at most 31 days ago.',
    },
    limit: LimitParameter,
    wait: {
      type: 'integer',
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      default: 0,
      description: 'If there are no new votes, wait up to this many seconds for one before responding.',
    },
    ...commonParameters,
  },
  required: ['limit', 'wait'],
} as const;

export type FeedQuery = Static<typeof FeedQuery>;

const FeedVote = { title: 'FeedVote', type: 'object', properties: vote, required: VOTE_FIELDS } as const;

export const FeedPage = {
  title: 'FeedPage',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    votes: { type: 'array', items: FeedVote, description: 'Votes in the order they were accepted.' },
    next_cursor: {
      type: 'string',
      description:
        'Never `null`. Store it and send it as `cursor`: the next page continues after the last vote of this one.',
    },
    has_more: { type: 'boolean', description: 'Whether more votes are available now.' },
  },
  required: ['ok', 'guild_id', 'votes', 'next_cursor', 'has_more'],
} as const;

export type FeedPage = Static<typeof FeedPage>;

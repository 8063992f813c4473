import type { XStatic as Static } from 'typebox/schema';
import { MAX_LEADERS } from '../../store/leaderboards.ts';
import {
  commonParameters,
  GuildId,
  identifierLists,
  identifierParameters,
  LimitParameter,
  MAX_BATCH_SIZE,
  NullableDateTime,
  Ok,
  sentIdentifier,
  UserId,
  voteListFields,
} from './parts.ts';

export const VoteCheckQuery = {
  type: 'object',
  properties: {
    ...identifierParameters,
    ...commonParameters,
  },
} as const;

export type VoteCheckQuery = Static<typeof VoteCheckQuery>;

const checkFields = {
  has_voted: {
    type: 'boolean',
    description:
      'Whether the user voted within the last hour. Exactly one hour after the vote it is `false` again.',
  },
  is_doubled: {
    type: 'boolean',
    description: 'Whether that vote is worth double rewards; `false` if there was none.',
  },
  last_vote_at: {
    ...NullableDateTime,
    description: 'When the vote was cast; `null` if there was none within the last hour.',
  },
  next_vote_at: {
    ...NullableDateTime,
    description: 'When the user can vote again: one hour after `last_vote_at`, or `null` like it.',
  },
  cooldown_remaining_seconds: {
    type: 'integer',
    minimum: 0,
    description: 'Whole seconds until `next_vote_at`, rounded up; 0 when the user can vote now.',
  },
} as const;

export const VoteCheckResult = {
  title: 'VoteCheckResult',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    ...checkFields,
  },
  required: [
    'ok',
    'guild_id',
    'has_voted',
    'is_doubled',
    'last_vote_at',
    'next_vote_at',
    'cooldown_remaining_seconds',
  ],
} as const;

export type VoteCheckResult = Static<typeof VoteCheckResult>;

/** Identifiers are repeated: `?discord_id=…&discord_id=…`. */
export const VoteChecksQuery = {
  type: 'object',
  properties: {
    ...identifierLists,
    ...commonParameters,
  },
} as const;

export type VoteChecksQuery = Static<typeof VoteChecksQuery>;

export const VoteChecksResult = {
  title: 'VoteChecksResult',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    results: {
      type: 'array',
      maxItems: MAX_BATCH_SIZE,
      description: 'One result per identifier, in the order of the request.',
      items: {
        title: 'VoteCheckEntry',
        type: 'object',
        properties: {
          ...sentIdentifier,
          ...checkFields,
        },
        required: ['has_voted', 'is_doubled', 'last_vote_at', 'next_vote_at', 'cooldown_remaining_seconds'],
      },
    },
  },
  required: ['ok', 'guild_id', 'results'],
} as const;

export type VoteChecksResult = Static<typeof VoteChecksResult>;

/** Dates and cursor are plain strings here: the contract has its own error codes for them. */
export const VoteListQuery = {
  type: 'object',
  properties: {
    from: {
      type: 'string',
      description:
        'Start of the period, inclusive: an ISO 8601 date or date-time, for example `2026-11-01T00:00:00.000Z`. Without an offset it is UTC. Default: the start of the current month (UTC).',
    },
    to: {
      type: 'string',
      description:
        'End of the period, exclusive: an ISO 8601 date or date-time, at most 31 days after `from`. Encode the `+` of an offset as `%2B`. Default: now.',
    },
    cursor: {
      type: 'string',
      description:
        '`pagination.next_cursor` of the previous page, unchanged. It contains the period, so the dates can be omitted.',
    },
    limit: LimitParameter,
    ...commonParameters,
  },
  required: ['limit'],
} as const;

export type VoteListQuery = Static<typeof VoteListQuery>;

/** Only for the OpenAPI document: an invalid id has its own error code, so the schema does not validate the path. */
export const UserVotesParams = {
  type: 'object',
  properties: { user_id: { ...UserId, description: 'Discord id of the user.' } },
  required: ['user_id'],
} as const;

export const VoteList = {
  title: 'VoteList',
  type: 'object',
  properties: { ok: Ok, guild_id: GuildId, ...voteListFields },
  required: ['ok', 'guild_id', 'votes', 'total', 'pagination', 'period'],
} as const;

export type VoteList = Static<typeof VoteList>;

export const UserVoteList = {
  title: 'UserVoteList',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    user_id: { type: 'string', description: 'The requested user.' },
    ...voteListFields,
  },
  required: ['ok', 'guild_id', 'user_id', 'votes', 'total', 'pagination', 'period'],
} as const;

export type UserVoteList = Static<typeof UserVoteList>;

const MAX_VOTERS = MAX_LEADERS;

const Month = {
  type: 'string',
  pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])$',
  examples: ['2026-11'],
} as const;

export const LeaderboardQuery = {
  type: 'object',
  properties: {
    month: {
      ...Month,
      description: 'A calendar month in UTC, `YYYY-MM`. Default: the current month.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_VOTERS,
      default: MAX_VOTERS,
      description: `Maximum number of voters. Default: ${MAX_VOTERS}.`,
    },
    ...commonParameters,
  },
  required: ['limit'],
} as const;

export type LeaderboardQuery = Static<typeof LeaderboardQuery>;

export const Leaderboard = {
  title: 'Leaderboard',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    month: { ...Month, description: 'The month of the leaderboard, in UTC.' },
    total: {
      type: 'integer',
      minimum: 0,
      description: 'All votes of the month, including those of users who are not listed.',
    },
    voters: {
      type: 'array',
      maxItems: MAX_VOTERS,
      description: 'Most votes first; ties are sorted by user id.',
      items: {
        title: 'LeaderboardEntry',
        type: 'object',
        properties: {
          rank: { type: 'integer', minimum: 1, description: 'Position on the leaderboard, starting at 1.' },
          user_id: { type: 'string', description: 'Discord id of the user.' },
          votes: { type: 'integer', minimum: 1, description: 'Votes of the user in the month.' },
        },
        required: ['rank', 'user_id', 'votes'],
      },
    },
  },
  required: ['ok', 'guild_id', 'month', 'total', 'voters'],
} as const;

export type Leaderboard = Static<typeof Leaderboard>;

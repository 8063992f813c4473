import type { XStatic as Static } from 'typebox/schema';
import { EXTERNAL_ID_MAX_LENGTH, SNOWFLAKE_MAX_LENGTH, SNOWFLAKE_PATTERN } from '../domain/identifiers.ts';

/*
 * What goes in and what comes out, in JSON Schema. The same objects check parameters and become the OpenAPI document,
 * where an object with a `title` gets a name; their types are read off them.
 */

export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1000;

const DateTime = { type: 'string', format: 'date-time' } as const;
const NullableDateTime = { type: ['string', 'null'], format: 'date-time' } as const;
const Ok = {
  const: true,
  type: 'boolean',
  description: 'Always `true` in an answer that is not an error.',
} as const;
const GuildId = { type: 'string', description: 'The community that the key belongs to.' } as const;

const UserId = {
  type: 'string',
  maxLength: SNOWFLAKE_MAX_LENGTH,
  pattern: SNOWFLAKE_PATTERN,
  examples: ['200000000000000001'],
} as const;

const commonParameters = {
  api_token: {
    type: 'string',
    deprecated: true,
    description:
      'Deprecated: the key, in the address. Addresses end up in logs and histories; send a header instead.',
  },
  locale: {
    type: 'string',
    description: 'Language of messages: `en` or `fr`. Decides over the headers; any other value is English.',
  },
} as const;

export const VoteCheckQuery = {
  type: 'object',
  properties: {
    discord_id: {
      ...UserId,
      description: 'Discord id of the user. Give this or `external_id`, never both.',
    },
    external_id: {
      type: 'string',
      maxLength: EXTERNAL_ID_MAX_LENGTH,
      description:
        'Your own name for the user, exactly as it stood in the vote link they came through: ' +
        '`/guild/<guild_id>/vote?external_id=<external_id>`. If several users voted under it, the newest vote counts.',
    },
    ...commonParameters,
  },
} as const;

export type VoteCheckQuery = Static<typeof VoteCheckQuery>;

export const VoteCheckResult = {
  title: 'VoteCheckResult',
  type: 'object',
  properties: {
    ok: Ok,
    guild_id: GuildId,
    has_voted: {
      type: 'boolean',
      description: '`true` for one hour after the vote. At exactly one hour it is `false` again.',
    },
    is_doubled: { type: 'boolean', description: 'Whether that vote counts double.' },
    last_vote_at: {
      ...NullableDateTime,
      description: 'When the vote was cast; `null` when there is none within the last hour.',
    },
    next_vote_at: {
      ...NullableDateTime,
      description: 'One hour after `last_vote_at`: when the user can vote again.',
    },
    cooldown_remaining_seconds: {
      type: 'integer',
      minimum: 0,
      description: 'Whole seconds until `next_vote_at`, rounded up; 0 when the user can vote now.',
    },
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

/** Dates and cursor are plain strings here: the contract answers them with codes of their own. */
export const VoteListQuery = {
  type: 'object',
  properties: {
    from: {
      type: 'string',
      description:
        'Start of the period, included. ISO 8601, for example `2026-11-01T00:00:00.000Z`: a date, or a date-time with an offset or in UTC. Default: the start of the current month.',
    },
    to: {
      type: 'string',
      description:
        'End of the period, not included. At most 31 days after `from`. Default: now. A `+` in an offset is written `%2B`.',
    },
    cursor: {
      type: 'string',
      description:
        '`pagination.next_cursor` of the page before, unchanged. It carries the period, so the dates may be left out.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      description: 'Most votes on one page.',
    },
    ...commonParameters,
  },
  required: ['limit'],
} as const;

export type VoteListQuery = Static<typeof VoteListQuery>;

/** For the document: the address is never refused by a schema, a wrong id has its own code. */
export const UserVotesParams = {
  type: 'object',
  properties: { user_id: { ...UserId, description: 'Discord id of the user.' } },
  required: ['user_id'],
} as const;

const VoteEntry = {
  title: 'Vote',
  type: 'object',
  properties: {
    user_id: { type: 'string', description: 'Discord id of the user.' },
    timestamp: DateTime,
    is_doubled: {
      type: 'boolean',
      description: 'Whether the vote counts double. It is one entry all the same.',
    },
  },
  required: ['user_id', 'timestamp', 'is_doubled'],
} as const;

const Pagination = {
  title: 'Pagination',
  type: 'object',
  properties: {
    limit: { type: 'integer', description: 'The page size that was used.' },
    has_more: { type: 'boolean', description: 'Whether another page follows.' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Send it as `cursor` for the next page; `null` on the last one.',
    },
  },
  required: ['limit', 'has_more', 'next_cursor'],
} as const;

const Period = {
  title: 'Period',
  type: 'object',
  properties: { from: DateTime, to: DateTime },
  required: ['from', 'to'],
} as const;

const voteListFields = {
  votes: { type: 'array', items: VoteEntry, description: 'The votes of this page, oldest first.' },
  total: { type: 'integer', minimum: 0, description: 'Votes in the whole period; the same on every page.' },
  pagination: Pagination,
  period: Period,
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
    user_id: { type: 'string', description: 'The user that was asked for.' },
    ...voteListFields,
  },
  required: ['ok', 'guild_id', 'user_id', 'votes', 'total', 'pagination', 'period'],
} as const;

export type UserVoteList = Static<typeof UserVoteList>;

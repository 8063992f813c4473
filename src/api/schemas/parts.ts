import { EXTERNAL_ID_MAX_LENGTH, SNOWFLAKE_MAX_LENGTH, SNOWFLAKE_PATTERN } from '../../domain/text.ts';

/*
 * Parts of the request and response schemas, which are plain JSON Schema. The same objects validate parameters and
 * become the OpenAPI document, where an object with a `title` becomes a named schema. Types are inferred from them.
 */

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1000;

export const DateTime = { type: 'string', format: 'date-time' } as const;
export const NullableDateTime = { type: ['string', 'null'], format: 'date-time' } as const;
export const Ok = {
  const: true,
  type: 'boolean',
  description: 'Always `true` in a successful response.',
} as const;
export const GuildId = { type: 'string', description: 'The community that the key belongs to.' } as const;

export const UserId = {
  type: 'string',
  maxLength: SNOWFLAKE_MAX_LENGTH,
  pattern: SNOWFLAKE_PATTERN,
  examples: ['200000000000000001'],
} as const;

export const commonParameters = {
  api_token: {
    type: 'string',
    deprecated: true,
    description: 'Deprecated: the key in the URL. URLs end up in logs and histories; send a header instead.',
  },
  locale: {
    type: 'string',
    description:
      'Language of messages: `en` or `fr`. Takes precedence over the headers; any other value means English.',
  },
} as const;

/** Exactly one of them identifies a user. */
export const identifierParameters = {
  discord_id: {
    ...UserId,
    description: 'Discord id of the user. Send either this or `external_id`.',
  },
  external_id: {
    type: 'string',
    maxLength: EXTERNAL_ID_MAX_LENGTH,
    description:
      'Your own name for the user, exactly as in the vote link they used: ' +
      '`/guild/<guild_id>/vote?external_id=<external_id>`. If several users voted under it, the latest vote counts.',
  },
} as const;

export const MAX_BATCH_SIZE = 50;

/** Many users, all of one kind: `?discord_id=…&discord_id=…`. */
export const identifierLists = {
  discord_id: {
    type: 'array',
    items: identifierParameters.discord_id,
    maxItems: MAX_BATCH_SIZE,
    description: 'Discord ids of the users, as a repeated parameter. Send either these or `external_id`.',
  },
  external_id: {
    type: 'array',
    items: identifierParameters.external_id,
    maxItems: MAX_BATCH_SIZE,
    description: 'Your own names for the users, as a repeated parameter. Send either these or `discord_id`.',
  },
} as const;

/** The user of one result of a batch. */
export const sentIdentifier = {
  discord_id: { type: 'string', description: 'The identifier that was sent, when it was a Discord id.' },
  external_id: { type: 'string', description: 'The identifier that was sent, when it was a name.' },
} as const;

export const LimitParameter = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  default: DEFAULT_PAGE_SIZE,
  description: 'Maximum number of votes per page.',
} as const;

export const Pagination = {
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

const VoteEntry = {
  title: 'Vote',
  type: 'object',
  properties: {
    user_id: { type: 'string', description: 'Discord id of the user.' },
    timestamp: { ...DateTime, description: 'When the vote was cast.' },
    is_doubled: {
      type: 'boolean',
      description: 'Whether the vote is worth double rewards. A doubled vote is still a single entry.',
    },
  },
  required: ['user_id', 'timestamp', 'is_doubled'],
} as const;

const Period = {
  title: 'Period',
  type: 'object',
  properties: {
    from: { ...DateTime, description: 'Start of the period that was used, inclusive.' },
    to: { ...DateTime, description: 'End of the period that was used, exclusive.' },
  },
  required: ['from', 'to'],
} as const;

/** The fields of every list of votes. */
export const voteListFields = {
  votes: { type: 'array', items: VoteEntry, description: 'The votes of this page, oldest first.' },
  total: {
    type: 'integer',
    minimum: 0,
    description: 'Votes in the whole period, the same on every page. A doubled vote counts once.',
  },
  pagination: Pagination,
  period: Period,
} as const;

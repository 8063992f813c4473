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

/** Parts of the schemas that several endpoints share. */
import { SNOWFLAKE_MAX_LENGTH, SNOWFLAKE_PATTERN } from '../../domain/identifiers.ts';
import { object } from './schema.ts';

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

export const LimitParameter = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  default: DEFAULT_PAGE_SIZE,
  description: 'Maximum number of votes per page.',
} as const;

export const Pagination = object('Pagination', {
  limit: { type: 'integer', description: 'The page size that was used.' },
  has_more: { type: 'boolean', description: 'Whether another page follows.' },
  next_cursor: {
    type: ['string', 'null'],
    description: 'Send it as `cursor` for the next page; `null` on the last one.',
  },
});

import type { XStatic as Static } from 'typebox/schema';
import { commonParameters, GuildId, Ok } from './parts.ts';

const MAX_VOTERS = 100;

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
      description: 'All votes of the month, also of users who are not listed.',
    },
    voters: {
      type: 'array',
      maxItems: MAX_VOTERS,
      description: 'More votes first, then the smaller user id.',
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

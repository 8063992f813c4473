/** A community as the management API shows it. */
import { formatInstant, formatInstantOrNull } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { GOAL_PERIODS, type Goal, MAX_GOAL_VOTES } from '../../domain/votes/goal.ts';
import { PLAYER_NAME_RULES } from '../../domain/votes/player-names.ts';
import { GUILD_NAME_MAX_LENGTH, MAX_GUILD_RATE_LIMIT } from '../../moderation/guilds.ts';
import { DateTime, NullableDateTime, Ok } from '../v7/fields.ts';
import { object, type Static } from '../v7/schema.ts';

export const NameField = {
  type: 'string',
  maxLength: GUILD_NAME_MAX_LENGTH,
  description: 'The public name.',
  examples: ['My Community'],
} as const;

export const RateLimitField = {
  type: ['integer', 'null'],
  minimum: 1,
  maximum: MAX_GUILD_RATE_LIMIT,
  description: 'Requests per minute of its API key; `null` for the limit of the service.',
} as const;

export const PlayerNamesField = {
  type: 'string',
  enum: PLAYER_NAME_RULES,
  description:
    'How claims compare player names. `ignore-case` ignores case; `minecraft` also ignores the prefix of Bedrock players.',
} as const;

const GoalSetting = object('GoalSetting', {
  period: {
    type: 'string',
    enum: GOAL_PERIODS,
    description: 'A UTC day, week (from Monday) or month; `party`: again after every `target` votes.',
  },
  target: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_GOAL_VOTES,
    description: 'The number of votes to reach.',
  },
});

export const GoalField = {
  anyOf: [GoalSetting, { type: 'null' }],
  description: 'The goal of votes; `null` without one.',
} as const;

const Sanction = object('Sanction', {
  reason: { type: ['string', 'null'], description: 'The reason, if one was given.' },
  since: DateTime,
});

export const ManagedGuild = object('Guild', {
  guild_id: { type: 'string', description: 'The Discord id of the community.' },
  name: { type: 'string', description: 'The public name.' },
  listed: {
    type: 'boolean',
    description:
      'Whether you allow it in the public listing. Its admins can unlist it too, which does not change this field.',
  },
  premium_until: {
    ...NullableDateTime,
    description: 'When Premium ends, or ended; `null` if it never had Premium.',
  },
  sanction: {
    anyOf: [Sanction, { type: 'null' }],
    description: 'A sanctioned community is closed: its key does not work, and nobody can vote for it.',
  },
  rate_limit: RateLimitField,
  player_names: PlayerNamesField,
  goal: GoalField,
  has_key: { type: 'boolean', description: 'Whether it has an API key.' },
  created_at: { ...DateTime, description: 'When it was added.' },
});

export type ManagedGuild = Static<typeof ManagedGuild>;

export const GuildResult = object('GuildResult', { ok: Ok, guild: ManagedGuild });
export type GuildResult = Static<typeof GuildResult>;

export const EXAMPLE_GUILD: ManagedGuild = {
  guild_id: '100000000000000001',
  name: 'My Community',
  listed: true,
  premium_until: '2027-01-01T00:00:00.000Z',
  sanction: null,
  rate_limit: null,
  player_names: 'exact',
  goal: { period: 'day', target: 100 },
  has_key: true,
  created_at: '2026-11-15T12:00:00.000Z',
};

export function toManagedGuild(guild: Guild, goal: Goal | null): ManagedGuild {
  const { sanction } = guild;
  return {
    guild_id: guild.guildId,
    name: guild.name,
    listed: guild.unlistedAt === null,
    premium_until: formatInstantOrNull(guild.premiumUntil),
    sanction: sanction && { reason: sanction.reason, since: formatInstant(sanction.since) },
    rate_limit: guild.rateLimit,
    player_names: guild.playerNames,
    goal,
    has_key: guild.hasKey,
    created_at: formatInstant(guild.createdAt),
  };
}

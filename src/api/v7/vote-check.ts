/** `GET /vote-check`: whether one user has voted within the last hour. */
import { formatInstantOrNull } from '../../domain/clock.ts';
import { type CooldownState, cooldownAt } from '../../domain/votes/vote.ts';
import { EXAMPLE, type Operation, WITH_IDENTIFIER } from '../openapi/operation.ts';
import { knownCaller } from './access.ts';
import { type Endpoint, READ } from './endpoint.ts';
import { GuildId, NullableDateTime, Ok } from './fields.ts';
import { identifierParameters, requireOneIdentifier } from './identifiers.ts';
import { object, query, type Static } from './schema.ts';

const VoteCheckQuery = query(identifierParameters);

/** Also in each result of a batch. */
export const checkFields = {
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

const VoteCheckResult = object('VoteCheckResult', { ok: Ok, guild_id: GuildId, ...checkFields });

type VoteCheckResult = Static<typeof VoteCheckResult>;
type CheckFields = Omit<VoteCheckResult, 'ok' | 'guild_id'>;

export const VOTED_EXAMPLE: CheckFields = {
  has_voted: true,
  is_doubled: false,
  last_vote_at: EXAMPLE.votedAt,
  next_vote_at: '2026-11-15T13:00:00.000Z',
  cooldown_remaining_seconds: 2400,
};

export const NOT_VOTED_EXAMPLE: CheckFields = {
  has_voted: false,
  is_doubled: false,
  last_vote_at: null,
  next_vote_at: null,
  cooldown_remaining_seconds: 0,
};

const operation: Operation = {
  operationId: 'checkVote',
  tag: 'Votes',
  needsKey: true,
  summary: 'Has this user voted?',
  description:
    'Checks whether one user has voted for your community within the last hour. Send exactly one of `discord_id` and `external_id`.',
  success:
    'Whether the user voted within the last hour. A user who has never voted has `has_voted: false`, not a 404.',
  examples: {
    voted: {
      summary: 'Voted 20 minutes ago',
      value: { ok: true, guild_id: EXAMPLE.guildId, ...VOTED_EXAMPLE } satisfies VoteCheckResult,
    },
    notVoted: {
      summary: 'No vote within the last hour',
      value: { ok: true, guild_id: EXAMPLE.guildId, ...NOT_VOTED_EXAMPLE } satisfies VoteCheckResult,
    },
  },
  codes: WITH_IDENTIFIER,
  fault: { field: 'discord_id', rule: 'regex' },
};

const aliasOperation: Operation = {
  ...operation,
  operationId: 'checkVoteAlias',
  summary: 'Has this user voted? (alias)',
  description: 'An exact alias of `/v7/vote-check`, for integrations that use this name.',
};

export const voteCheck = createEndpoint('/vote-check', operation);
export const voteCheckAlias = createEndpoint('/check-vote', aliasOperation);

function createEndpoint(path: string, described: Operation): Endpoint {
  const schema = { operation: described, querystring: VoteCheckQuery, response: { 200: VoteCheckResult } };
  return {
    path,
    methods: READ,
    register: (app, { clock }) => {
      const options = {
        schema,
        preValidation: requireOneIdentifier,
        serializerCompiler: () => (result: VoteCheckResult) => writeVoteCheck(result.guild_id, result),
      };
      app.get(path, options, async (request): Promise<VoteCheckResult> => {
        const { guild, vote } = knownCaller(request);
        return { ok: true, guild_id: guild.guildId, ...toCheckFields(cooldownAt(clock(), vote)) };
      });
    },
  };
}

/** The result as JSON, without the time that `JSON.stringify` takes to read an object: digits and dates need no escaping. */
export function writeVoteCheck(guildId: string, fields: CheckFields): string {
  const { has_voted, is_doubled, last_vote_at, next_vote_at, cooldown_remaining_seconds } = fields;
  return (
    `{"ok":true,"guild_id":"${guildId}","has_voted":${has_voted},"is_doubled":${is_doubled}` +
    `,"last_vote_at":${quoteOrNull(last_vote_at)},"next_vote_at":${quoteOrNull(next_vote_at)}` +
    `,"cooldown_remaining_seconds":${cooldown_remaining_seconds}}`
  );
}

function quoteOrNull(date: string | null): string {
  return date === null ? 'null' : `"${date}"`;
}

export function toCheckFields(state: CooldownState): CheckFields {
  return {
    has_voted: state.hasVoted,
    is_doubled: state.isDoubled,
    last_vote_at: formatInstantOrNull(state.lastVoteAt),
    next_vote_at: formatInstantOrNull(state.nextVoteAt),
    cooldown_remaining_seconds: state.remainingSeconds,
  };
}

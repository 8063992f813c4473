/** `GET /guild/goal`: the goal of the community, and how far it is. */
import { GOAL_PERIODS, progressDocument } from '../../domain/votes/goal.ts';
import { EXAMPLE, type Operation, WITH_KEY } from '../openapi/operation.ts';
import { callerGuild } from './access.ts';
import { type Endpoint, READ } from './endpoint.ts';
import { GuildId, NullableDateTime, Ok } from './fields.ts';
import { object, query, type Static } from './schema.ts';

const PATH = '/guild/goal';

const Goal = object('Goal', {
  period: {
    type: 'string',
    enum: GOAL_PERIODS,
    description:
      'A UTC day, week (from Monday) or month. `party`: votes are counted again from zero after every `target` votes.',
  },
  target: { type: 'integer', minimum: 1, description: 'The number of votes to reach.' },
  votes: {
    type: 'integer',
    minimum: 0,
    description: 'Votes in the current period, or since the last vote party. A doubled vote counts once.',
  },
  remaining: {
    type: 'integer',
    minimum: 0,
    description: 'Votes until the goal is reached; `0` once it is.',
  },
  resets_at: {
    ...NullableDateTime,
    description: 'When the period ends and votes are counted from zero; `null` for `party`.',
  },
});

const GoalStatus = object('GoalStatus', {
  ok: Ok,
  guild_id: GuildId,
  goal: {
    anyOf: [Goal, { type: 'null' }],
    description: 'The goal that the admins have set; `null` without one.',
  },
});

type GoalStatus = Static<typeof GoalStatus>;

const example: GoalStatus = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  goal: { period: 'day', target: 100, votes: 64, remaining: 36, resets_at: '2026-11-16T00:00:00.000Z' },
};

const none: GoalStatus = { ok: true, guild_id: EXAMPLE.guildId, goal: null };

const operation: Operation = {
  operationId: 'getGoal',
  tag: 'Votes',
  needsKey: true,
  summary: 'The goal of the community and its progress',
  description:
    'Returns the goal that the admins have set in the dashboard: a number of votes in a day, a week or a month, or every so many votes (a vote party). When it is reached, the event `goal_reached` is sent.',
  success: 'The goal and the votes that count towards it.',
  examples: {
    progress: { summary: '64 of 100 votes today', value: example },
    none: { summary: 'No goal', value: none },
  },
  codes: WITH_KEY,
  fault: { field: 'locale', rule: 'string' },
};

const schema = { operation, querystring: query({}), response: { 200: GoalStatus } };

export const goal: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, { store, clock }) => {
    app.get(PATH, { schema }, async (request): Promise<GoalStatus> => {
      const { guildId } = callerGuild(request);
      const progress = await store.goals.progress(guildId, clock());
      return { ok: true, guild_id: guildId, goal: progress && progressDocument(progress) };
    });
  },
};

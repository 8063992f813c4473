/** `GET /guild/leaderboard`: the users with the most votes in a month. */
import { formatYearMonth } from '../../domain/clock.ts';
import { MAX_LEADERS } from '../../store/votes/leaderboards.ts';
import { EXAMPLE, type Operation, WITH_KEY } from '../openapi/operation.ts';
import { callerGuild, requirePremium } from './access.ts';
import { type Endpoint, READ } from './endpoint.ts';
import { GuildId, Ok } from './fields.ts';
import { object, query, type Static } from './schema.ts';

const PATH = '/guild/leaderboard';

const Month = {
  type: 'string',
  pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])$',
  examples: ['2026-11'],
} as const;

const LeaderboardQuery = query({
  month: {
    ...Month,
    description: 'A calendar month in UTC, `YYYY-MM`. Default: the current month.',
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LEADERS,
    default: MAX_LEADERS,
    description: `Maximum number of voters. Default: ${MAX_LEADERS}.`,
  },
});

const Leaderboard = object('Leaderboard', {
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
    maxItems: MAX_LEADERS,
    description: 'Most votes first; ties are sorted by user id.',
    items: object('LeaderboardEntry', {
      rank: { type: 'integer', minimum: 1, description: 'Position on the leaderboard, starting at 1.' },
      user_id: { type: 'string', description: 'Discord id of the user.' },
      votes: { type: 'integer', minimum: 1, description: 'Votes of the user in the month.' },
    }),
  },
});

type Leaderboard = Static<typeof Leaderboard>;

const example: Leaderboard = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  month: '2026-11',
  total: 31,
  voters: [
    { rank: 1, user_id: EXAMPLE.userId, votes: 21 },
    { rank: 2, user_id: '200000000000000002', votes: 10 },
  ],
};

const operation: Operation = {
  operationId: 'getLeaderboard',
  tag: 'Vote lists',
  needsKey: true,
  summary: 'Leaderboard of a month',
  description:
    'Lists the users with the most votes in a calendar month (UTC). Premium communities only. The voters of the current month are at most ten seconds old; a past month only changes when votes are imported, voided or restored.',
  success: 'The leaderboard, most votes first; ties are sorted by user id.',
  examples: { month: { summary: 'Two voters', value: example } },
  codes: ['PREMIUM_REQUIRED', ...WITH_KEY],
  fault: { field: 'month', rule: 'regex' },
};

const schema = { operation, querystring: LeaderboardQuery, response: { 200: Leaderboard } };

export const leaderboard: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, { leaderboards, clock }) => {
    const options = { schema, preValidation: requirePremium(clock) };
    app.get(PATH, options, async (request): Promise<Leaderboard> => {
      const { guildId } = callerGuild(request);
      const { month = formatYearMonth(clock()), limit } = request.query;
      const start = Date.parse(`${month}-01T00:00:00.000Z`);
      const { voters, total } = await leaderboards.ofMonth(guildId, start, limit);
      return {
        ok: true,
        guild_id: guildId,
        month,
        total,
        voters: voters.map(({ userId, votes }, index) => ({ rank: index + 1, user_id: userId, votes })),
      };
    });
  },
};

/** `/bans`: who may not vote, for any community. */
import { formatInstant, formatInstantOrNull } from '../../domain/clock.ts';
import type { Ban } from '../../domain/votes/bans.ts';
import { banVoter, unbanVoter } from '../../moderation/bans.ts';
import { ApiError } from '../errors/api-error.ts';
import { READ } from '../v7/endpoint.ts';
import { DateTime, LimitParameter, NullableDateTime, Ok, Pagination, UserId } from '../v7/fields.ts';
import { LocaleParameter, object, parameters, type Static } from '../v7/schema.ts';
import { optionalText } from './body.ts';
import { type ManageDeps, type ManageEndpoint, type ManageInstance, moderatorOf } from './endpoint.ts';
import {
  DateField,
  NoParameters,
  operation,
  postOperation,
  ReasonField,
  readDate,
  UserIdParams,
  userIdOf,
} from './fields.ts';
import { runOnce } from './idempotency.ts';
import { cutPage, openListCursor, sealListCursor } from './pagination.ts';

const PATH = '/bans';
const BAN_PATH = '/bans/:user_id';
const SCOPE = 'moderation:write';

const NewBan = object(
  'NewBan',
  {
    user_id: { ...UserId, description: 'The Discord id of the user.' },
    until: { ...DateField, description: 'When the ban ends, ISO 8601; absent or `null`: never.' },
    reason: ReasonField,
    public_reason: { ...ReasonField, description: 'The reason that the voting page shows to the user.' },
  },
  ['until', 'reason', 'public_reason'],
);

const ActiveBan = object('Ban', {
  user_id: { type: 'string', description: 'The Discord id of the user.' },
  since: DateTime,
  until: { ...NullableDateTime, description: '`null`: the ban does not end.' },
  reason: { type: ['string', 'null'], description: 'The reason, if one was given. Voters do not see it.' },
  public_reason: {
    type: ['string', 'null'],
    description: 'The reason that the user sees, if one was given.',
  },
});

type ActiveBan = Static<typeof ActiveBan>;

const BanResult = object('BanResult', { ok: Ok, ban: ActiveBan });
type BanResult = Static<typeof BanResult>;

const BanList = object('BanList', {
  ok: Ok,
  bans: { type: 'array', items: ActiveBan },
  pagination: Pagination,
});

type BanList = Static<typeof BanList>;

const BanLifted = object('BanLifted', {
  ok: Ok,
  user_id: { type: 'string', description: 'The user, who can vote again.' },
});

type BanLifted = Static<typeof BanLifted>;

const BansQuery = parameters({
  limit: { ...LimitParameter, description: 'Maximum number of bans per page.' },
  cursor: { type: 'string', description: '`pagination.next_cursor` of the previous page.' },
  locale: LocaleParameter,
});

const EXAMPLE_BAN: ActiveBan = {
  user_id: '200000000000000001',
  since: '2026-11-15T12:00:00.000Z',
  until: null,
  reason: 'scripted account',
  public_reason: null,
};

const page: BanList = {
  ok: true,
  bans: [EXAMPLE_BAN],
  pagination: { limit: 100, has_more: false, next_cursor: null },
};

const common = { tag: 'Moderation', scope: SCOPE } as const;

const listBans = operation({
  ...common,
  operationId: 'listBans',
  summary: 'List bans',
  description: 'Lists the active bans, ordered by user id.',
  success: 'One page of bans.',
  examples: { page: { summary: 'A page with one ban', value: page } },
  codes: ['INVALID_CURSOR'],
  fault: { field: 'limit', rule: 'max', bound: 1000 },
});

const createBan = postOperation({
  ...common,
  operationId: 'createBan',
  summary: 'Ban a user',
  description:
    'Bans a user from voting, at once and for every community. Earlier votes stay. Replaces an earlier ban of the user.',
  success: 'The ban.',
  examples: { banned: { summary: 'A ban without an end', value: { ok: true, ban: EXAMPLE_BAN } } },
  codes: ['INVALID_DATE'],
  fault: { field: 'user_id', rule: 'regex', isInBody: true },
});

const deleteBan = operation({
  ...common,
  operationId: 'deleteBan',
  summary: 'Lift a ban',
  description: 'Lifts the ban of a user at once.',
  success: 'The user can vote again.',
  examples: { lifted: { summary: 'Lifted', value: { ok: true, user_id: '200000000000000001' } } },
  codes: ['INVALID_USER_ID', 'BAN_NOT_FOUND'],
  fault: { field: 'locale', rule: 'string' },
});

export const bans: ManageEndpoint = {
  path: PATH,
  methods: [...READ, 'POST'],
  register: (app, deps) => {
    listRoute(app, deps);
    createRoute(app, deps);
  },
};

function listRoute(app: ManageInstance, { store, secrets, clock }: ManageDeps): void {
  const schema = { operation: listBans, querystring: BansQuery, response: { 200: BanList } };
  app.get(PATH, { schema, config: { scope: SCOPE } }, async (request): Promise<BanList> => {
    const { limit, cursor: text } = request.query;
    const after = text ? openListCursor('bans', text, secrets.cursorKey).after : '';
    const found = cutPage(await store.moderation.bans(clock(), after, limit + 1), limit);
    const next = found.last && { after: found.last.userId, search: '' };
    return {
      ok: true,
      bans: found.page.map(toActiveBan),
      pagination: {
        limit,
        has_more: next !== undefined,
        next_cursor: next ? sealListCursor('bans', next, secrets.cursorKey) : null,
      },
    };
  });
}

function createRoute(app: ManageInstance, deps: ManageDeps): void {
  const schema = {
    operation: createBan,
    querystring: NoParameters,
    body: NewBan,
    response: { 201: BanResult },
  };
  app.post(PATH, { schema, config: { scope: SCOPE } }, (request, reply) =>
    runOnce(deps, request, reply, async () => {
      const { user_id: userId } = request.body;
      const until = readDate(request.body.until);
      const reason = optionalText(request.body.reason, 'reason');
      const publicReason = optionalText(request.body.public_reason, 'public_reason');
      const given = { userId, until, reason, publicReason };
      const outcome = await banVoter(moderatorOf(request, deps), given);
      if (outcome.kind === 'already_over') throw ApiError.because('ban_over');
      const body: BanResult = { ok: true, ban: toActiveBan(outcome.ban) };
      return { status: 201, body };
    }),
  );
}

export const ban: ManageEndpoint = {
  path: BAN_PATH,
  methods: ['DELETE'],
  register: (app, deps) => {
    const schema = {
      operation: deleteBan,
      params: UserIdParams,
      querystring: NoParameters,
      response: { 200: BanLifted },
    };
    app.delete(BAN_PATH, { schema, config: { scope: SCOPE } }, async (request): Promise<BanLifted> => {
      const userId = userIdOf(request.params);
      const { kind } = await unbanVoter(moderatorOf(request, deps), userId);
      if (kind === 'not_banned') throw new ApiError('BAN_NOT_FOUND');
      return { ok: true, user_id: userId };
    });
  },
};

function toActiveBan({ userId, since, until, reason, publicReason }: Ban): ActiveBan {
  return {
    ...{ user_id: userId, since: formatInstant(since), until: formatInstantOrNull(until) },
    ...{ reason, public_reason: publicReason },
  };
}

/** `/users/{user_id}`: what is stored about a person. */
import { Readable } from 'node:stream';
import type { FastifySchema } from 'fastify';
import { eraseUser } from '../../users/erase.ts';
import { exportUser } from '../../users/export.ts';
import { ApiError } from '../errors/api-error.ts';
import { READ } from '../v7/endpoint.ts';
import { DateTime, NullableDateTime, Ok } from '../v7/fields.ts';
import { object, type Static } from '../v7/schema.ts';
import { type ManageDeps, type ManageEndpoint, type ManageInstance, moderatorOf } from './endpoint.ts';
import { NoParameters, operation, UserIdParams, userIdOf } from './fields.ts';

const PATH = '/users/:user_id';
const SCOPE = 'users:write';

const Entries = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;
const Details = { type: ['object', 'null'], additionalProperties: true } as const;

const UserExport = object('UserExport', {
  ok: Ok,
  user_id: { type: 'string', description: 'The Discord id of the user.' },
  exported_at: DateTime,
  profile: { ...Details, description: 'Name, picture and last sign-in; `null` if the user never signed in.' },
  ban: Details,
  signed_out_at: NullableDateTime,
  reminders: Entries,
  voter_roles: { ...Entries, description: 'Roles in Discord that the user has for voting.' },
  votes: { ...Entries, description: 'All votes, including voided ones.' },
  cooldowns: Entries,
  webhook_events: Entries,
  claim_responses: Entries,
  activities: { ...Entries, description: 'What the user did as an admin of a community.' },
  operator_actions: {
    ...Entries,
    description: 'What the user did as an operator, or operators about the user.',
  },
});

const UserErased = object('UserErased', {
  ok: Ok,
  user_id: { type: 'string', description: 'The user who was erased.' },
  votes: { type: 'integer', minimum: 0, description: 'Votes that still count, under a random id.' },
  guilds: { type: 'integer', minimum: 0, description: 'The number of communities that have these votes.' },
});

type UserErased = Static<typeof UserErased>;

const common = { tag: 'Users', scope: SCOPE, fault: { field: 'locale', rule: 'string' } } as const;

const getUser = operation({
  ...common,
  operationId: 'getUser',
  summary: 'Export a user',
  description: 'Returns everything that is stored about a user, as `votary user export` does.',
  success: 'Everything that is stored about the user.',
  codes: ['INVALID_USER_ID', 'USER_NOT_FOUND'],
});

const deleteUser = operation({
  ...common,
  operationId: 'deleteUser',
  summary: 'Erase a user',
  description:
    'Deletes names, external ids, reminders, sessions and log entries of a user. Votes stay as anonymous counts, under a random id per community, so that totals do not change. This cannot be undone. The log of operators says that a user was erased, but not who.',
  success: 'The user was erased.',
  examples: {
    erased: { summary: 'Erased', value: { ok: true, user_id: '200000000000000001', votes: 12, guilds: 2 } },
  },
  codes: ['INVALID_USER_ID', 'USER_NOT_FOUND'],
});

export const user: ManageEndpoint = {
  path: PATH,
  methods: [...READ, 'DELETE'],
  register: (app, deps) => {
    exportRoute(app, deps);
    eraseRoute(app, deps);
  },
};

function exportRoute(app: ManageInstance, { store, clock }: ManageDeps): void {
  // Not typed by its response, which is made while it is sent.
  const schema: FastifySchema = {
    operation: getUser,
    params: UserIdParams,
    querystring: NoParameters,
    response: { 200: UserExport },
  };
  app.get<{ Params: Static<typeof UserIdParams> }>(
    PATH,
    { schema, config: { scope: SCOPE } },
    async (request, reply) => {
      const chunks = await exportUser(store, userIdOf(request.params), clock());
      if (!chunks) throw new ApiError('USER_NOT_FOUND');
      return reply.type('application/json; charset=utf-8').send(Readable.from(withOk(chunks)));
    },
  );
}

/** The export as a response of this API: its first field is `ok`. */
async function* withOk(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let start = '{"ok":true,';
  for await (const chunk of chunks) {
    yield start === '' ? chunk : start + chunk.slice('{'.length);
    start = '';
  }
}

function eraseRoute(app: ManageInstance, deps: ManageDeps): void {
  const schema = {
    operation: deleteUser,
    params: UserIdParams,
    querystring: NoParameters,
    response: { 200: UserErased },
  };
  app.delete(PATH, { schema, config: { scope: SCOPE } }, async (request): Promise<UserErased> => {
    const userId = userIdOf(request.params);
    const outcome = await eraseUser(moderatorOf(request, deps), userId);
    if (outcome.kind === 'unknown_user') throw new ApiError('USER_NOT_FOUND');
    return { ok: true, user_id: userId, votes: outcome.votes, guilds: outcome.guilds };
  });
}

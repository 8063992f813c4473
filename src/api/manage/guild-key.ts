/** `/guilds/{guild_id}/key`: the API key of a community. */
import { generateKey, revokeKey } from '../../moderation/keys.ts';
import { ApiError } from '../errors/api-error.ts';
import { Ok } from '../v7/fields.ts';
import { object, type Static } from '../v7/schema.ts';
import { type ManageEndpoint, moderatorOf } from './endpoint.ts';
import { GuildIdParams, NoParameters, operation, postOperation } from './fields.ts';
import { requireGuild } from './guild.ts';
import { runOnce } from './idempotency.ts';

const PATH = '/guilds/:guild_id/key';

const NewKey = object('NewKey', {
  ok: Ok,
  key: {
    type: 'string',
    description: 'The new API key (`vty_…`) for `/v7`. Its admins see it in their dashboard too.',
  },
});

type NewKey = Static<typeof NewKey>;

const KeyRemoved = object('KeyRemoved', {
  ok: Ok,
  guild_id: { type: 'string', description: 'The community, which has no key now.' },
});

type KeyRemoved = Static<typeof KeyRemoved>;

const common = {
  tag: 'Communities',
  scope: 'guilds:write',
  fault: { field: 'locale', rule: 'string' },
} as const;

const createKey = postOperation({
  ...common,
  operationId: 'createGuildKey',
  summary: 'Generate an API key',
  description:
    'Generates a new API key. The previous one stops working at once. With an `Idempotency-Key`, the response is stored encrypted for 24 hours.',
  success: 'The new key.',
  examples: {
    key: { summary: 'A new key', value: { ok: true, key: 'vty_EXAMPLEexampleEXAMPLEexampleEXAMPLE00' } },
  },
  codes: ['GUILD_NOT_FOUND'],
});

const deleteKey = operation({
  ...common,
  operationId: 'deleteGuildKey',
  summary: 'Remove the API key',
  description: 'Removes the API key, which stops working at once. Nothing changes if there is none.',
  success: 'The community has no key.',
  examples: { removed: { summary: 'Removed', value: { ok: true, guild_id: '100000000000000001' } } },
  codes: ['GUILD_NOT_FOUND'],
});

export const guildKey: ManageEndpoint = {
  path: PATH,
  methods: ['POST', 'DELETE'],
  register: (app, deps) => {
    const schema = { params: GuildIdParams, querystring: NoParameters };
    const created = { ...schema, operation: createKey, response: { 201: NewKey } };
    app.post(PATH, { schema: created, config: { scope: 'guilds:write' } }, (request, reply) =>
      runOnce(deps, request, reply, async () => {
        const { guildId } = await requireGuild(deps.store, request.params.guild_id);
        const outcome = await generateKey(moderatorOf(request, deps), deps.secrets, guildId);
        if (outcome.kind === 'unknown_guild') throw new ApiError('GUILD_NOT_FOUND');
        const body: NewKey = { ok: true, key: outcome.key };
        return { status: 201, body };
      }),
    );
    const removed = { ...schema, operation: deleteKey, response: { 200: KeyRemoved } };
    app.delete(
      PATH,
      { schema: removed, config: { scope: 'guilds:write' } },
      async (request): Promise<KeyRemoved> => {
        const { guildId } = await requireGuild(deps.store, request.params.guild_id);
        const { kind } = await revokeKey(moderatorOf(request, deps), guildId);
        if (kind === 'unknown_guild') throw new ApiError('GUILD_NOT_FOUND');
        return { ok: true, guild_id: guildId };
      },
    );
  },
};

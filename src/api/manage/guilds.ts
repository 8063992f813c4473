/** `GET /guilds` lists communities, `POST /guilds` adds one. */
import { addGuild } from '../../moderation/guilds.ts';
import { ApiError } from '../errors/api-error.ts';
import { READ } from '../v7/endpoint.ts';
import { LimitParameter, Ok, Pagination } from '../v7/fields.ts';
import { LocaleParameter, object, parameters, type Static } from '../v7/schema.ts';
import { plainText } from './body.ts';
import { type ManageDeps, type ManageEndpoint, type ManageInstance, moderatorOf } from './endpoint.ts';
import { GuildIdField, NoParameters, operation, postOperation } from './fields.ts';
import { EXAMPLE_GUILD, GuildResult, ManagedGuild, NameField, toManagedGuild } from './guild-schema.ts';
import { runOnce } from './idempotency.ts';
import { cutPage, openListCursor, sealListCursor } from './pagination.ts';

const PATH = '/guilds';

const GuildsQuery = parameters({
  q: {
    type: 'string',
    maxLength: 100,
    description: 'A part of the name, ignoring case and accents, or a whole `guild_id`.',
  },
  limit: { ...LimitParameter, description: 'Maximum number of communities per page.' },
  cursor: { type: 'string', description: '`pagination.next_cursor` of the previous page.' },
  locale: LocaleParameter,
});

const GuildList = object('GuildList', {
  ok: Ok,
  guilds: { type: 'array', items: ManagedGuild },
  pagination: Pagination,
});

type GuildList = Static<typeof GuildList>;

const NewGuild = object('NewGuild', { guild_id: GuildIdField, name: NameField });

const example: GuildList = {
  ok: true,
  guilds: [EXAMPLE_GUILD],
  pagination: { limit: 100, has_more: false, next_cursor: null },
};

const listGuilds = operation({
  operationId: 'listGuilds',
  tag: 'Communities',
  scope: 'guilds:read',
  summary: 'List communities',
  description:
    'Lists communities, ordered by id. Continue with `pagination.next_cursor` until it is `null`; the cursor contains `q`, which need not be repeated.',
  success: 'One page of communities.',
  examples: { page: { summary: 'A page with one community', value: example } },
  codes: ['INVALID_CURSOR'],
  fault: { field: 'limit', rule: 'max', bound: 1000 },
});

const createGuild = postOperation({
  operationId: 'createGuild',
  tag: 'Communities',
  scope: 'guilds:write',
  summary: 'Add a community',
  description: 'Adds a community to the site. It has no API key yet, and no Premium.',
  success: 'The new community.',
  examples: {
    added: {
      summary: 'A new community',
      value: { ok: true, guild: { ...EXAMPLE_GUILD, premium_until: null, goal: null, has_key: false } },
    },
  },
  codes: ['GUILD_EXISTS'],
  fault: { field: 'name', rule: 'required', isInBody: true },
});

export const guilds: ManageEndpoint = {
  path: PATH,
  methods: [...READ, 'POST'],
  register: (app, deps) => {
    listRoute(app, deps);
    createRoute(app, deps);
  },
};

function listRoute(app: ManageInstance, { store, secrets }: ManageDeps): void {
  const schema = { operation: listGuilds, querystring: GuildsQuery, response: { 200: GuildList } };
  app.get(PATH, { schema, config: { scope: 'guilds:read' } }, async (request): Promise<GuildList> => {
    const { q, limit, cursor: text } = request.query;
    const cursor = text ? openListCursor('guilds', text, secrets.cursorKey) : { after: '', search: q ?? '' };
    if (q !== undefined && q !== cursor.search) throw new ApiError('INVALID_CURSOR');
    const query = { search: cursor.search.trim(), afterGuildId: cursor.after, limit: limit + 1 };
    const { page, last } = cutPage(await store.guilds.page(query), limit);
    const goals = await store.goals.findMany(page.map(({ guildId }) => guildId));
    const next = last && { after: last.guildId, search: cursor.search };
    return {
      ok: true,
      guilds: page.map((guild) => toManagedGuild(guild, goals.get(guild.guildId) ?? null)),
      pagination: {
        limit,
        has_more: next !== undefined,
        next_cursor: next ? sealListCursor('guilds', next, secrets.cursorKey) : null,
      },
    };
  });
}

function createRoute(app: ManageInstance, deps: ManageDeps): void {
  const schema = {
    operation: createGuild,
    querystring: NoParameters,
    body: NewGuild,
    response: { 201: GuildResult },
  };
  app.post(PATH, { schema, config: { scope: 'guilds:write' } }, (request, reply) =>
    runOnce(deps, request, reply, async () => {
      const { guild_id: guildId } = request.body;
      const name = plainText(request.body.name, 'name');
      const { kind } = await addGuild(moderatorOf(request, deps), { guildId, name });
      if (kind === 'being_removed') throw ApiError.because('being_removed');
      const guild = kind === 'added' ? await deps.store.guilds.find(guildId) : undefined;
      if (!guild) throw new ApiError('GUILD_EXISTS');
      const body: GuildResult = { ok: true, guild: toManagedGuild(guild, null) };
      return { status: 201, body };
    }),
  );
}

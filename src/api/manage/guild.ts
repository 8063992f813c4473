/** `/guilds/{guild_id}`: one community. */
import type { Guild } from '../../domain/guild.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import {
  liftSanction,
  removeGuildSoon,
  renameGuild,
  sanctionGuild,
  setClaimSettings,
  setGuildGoal,
  setGuildListed,
  setGuildPremium,
  setGuildRateLimit,
} from '../../moderation/guilds.ts';
import type { Moderator } from '../../moderation/moderator.ts';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../errors/api-error.ts';
import { READ } from '../v7/endpoint.ts';
import { Ok } from '../v7/fields.ts';
import { LocaleParameter, object, parameters, type Static } from '../v7/schema.ts';
import { optionalText, plainText } from './body.ts';
import { type ManageDeps, type ManageEndpoint, type ManageInstance, moderatorOf } from './endpoint.ts';
import {
  bodyOperation,
  DateField,
  GuildIdParams,
  NoParameters,
  operation,
  ReasonField,
  readDate,
} from './fields.ts';
import {
  EXAMPLE_GUILD,
  GoalField,
  GuildResult,
  NameField,
  PlayerNamesField,
  RateLimitField,
  toManagedGuild,
} from './guild-schema.ts';

const PATH = '/guilds/:guild_id';

const NewSanction = object('NewSanction', { reason: ReasonField }, ['reason']);

const GuildChange = object(
  'GuildChange',
  {
    name: NameField,
    listed: { type: 'boolean', description: 'Whether it may be in the public listing.' },
    premium_until: {
      ...DateField,
      description: 'When Premium ends, ISO 8601. A date in the past, or `null`, ends it now.',
    },
    sanction: {
      anyOf: [NewSanction, { type: 'null' }],
      description: 'An object closes the community, `null` opens it again.',
    },
    rate_limit: RateLimitField,
    player_names: PlayerNamesField,
    goal: {
      ...GoalField,
      description: 'The goal of votes, which replaces an earlier one; `null` removes it.',
    },
  },
  ['name', 'listed', 'premium_until', 'sanction', 'rate_limit', 'player_names', 'goal'],
);

type GuildChange = Static<typeof GuildChange>;

const RemoveQuery = parameters({
  confirm: { type: 'string', description: 'The `guild_id` again.', examples: ['100000000000000001'] },
  locale: LocaleParameter,
});

const GuildRemoved = object('GuildRemoved', {
  ok: Ok,
  guild_id: { type: 'string', description: 'The community that was deleted.' },
});

type GuildRemoved = Static<typeof GuildRemoved>;

const examples = { guild: { summary: 'A community', value: { ok: true, guild: EXAMPLE_GUILD } } };
const fault = { field: 'locale', rule: 'string' } as const;

const getGuild = operation({
  operationId: 'getGuild',
  tag: 'Communities',
  scope: 'guilds:read',
  summary: 'Get a community',
  description: 'Returns one community.',
  success: 'The community.',
  examples,
  codes: ['GUILD_NOT_FOUND'],
  fault,
});

const updateGuild = bodyOperation({
  operationId: 'updateGuild',
  tag: 'Communities',
  scope: 'guilds:write',
  summary: 'Change a community',
  description:
    'Changes the fields that are sent, and leaves the others as they are. Each change is an entry in the log of operators and takes effect with the next request.',
  success: 'The community after the change.',
  examples,
  codes: ['INVALID_DATE', 'GUILD_NOT_FOUND'],
  fault: { field: 'rate_limit', rule: 'max', bound: RateLimitField.maximum, isInBody: true },
});

const deleteGuild = operation({
  operationId: 'deleteGuild',
  tag: 'Communities',
  scope: 'guilds:write',
  summary: 'Delete a community',
  description:
    'Deletes a community with its key, its votes and everything else. It disappears at once; the rows of a large one are deleted after the response, and until then its id cannot be added again. This cannot be undone.',
  success: 'The community was deleted.',
  examples: { deleted: { summary: 'Deleted', value: { ok: true, guild_id: EXAMPLE_GUILD.guild_id } } },
  codes: ['CONFIRMATION_REQUIRED', 'GUILD_NOT_FOUND'],
  fault,
});

export const guild: ManageEndpoint = {
  path: PATH,
  methods: [...READ, 'PATCH', 'DELETE'],
  register: (app, deps) => {
    getRoute(app, deps);
    updateRoute(app, deps);
    deleteRoute(app, deps);
  },
};

export async function requireGuild({ guilds }: Pick<Store, 'guilds'>, guildId: string): Promise<Guild> {
  const found = isSnowflake(guildId) ? await guilds.find(guildId) : undefined;
  if (!found) throw new ApiError('GUILD_NOT_FOUND');
  return found;
}

async function guildResult({ goals }: Pick<Store, 'goals'>, found: Guild): Promise<GuildResult> {
  return { ok: true, guild: toManagedGuild(found, await goals.find(found.guildId)) };
}

function getRoute(app: ManageInstance, { store }: ManageDeps): void {
  const schema = {
    operation: getGuild,
    params: GuildIdParams,
    querystring: NoParameters,
    response: { 200: GuildResult },
  };
  app.get(PATH, { schema, config: { scope: 'guilds:read' } }, async (request): Promise<GuildResult> => {
    return guildResult(store, await requireGuild(store, request.params.guild_id));
  });
}

function updateRoute(app: ManageInstance, deps: ManageDeps): void {
  const schema = {
    operation: updateGuild,
    params: GuildIdParams,
    querystring: NoParameters,
    body: GuildChange,
    response: { 200: GuildResult },
  };
  app.patch(PATH, { schema, config: { scope: 'guilds:write' } }, async (request): Promise<GuildResult> => {
    const { guildId } = await requireGuild(deps.store, request.params.guild_id);
    for (const apply of changesOf(request.body)) {
      const { kind } = await apply(moderatorOf(request, deps), guildId);
      if (kind === 'unknown_guild') throw new ApiError('GUILD_NOT_FOUND');
    }
    return guildResult(deps.store, await requireGuild(deps.store, guildId));
  });
}

type Change = (moderator: Moderator, guildId: string) => Promise<{ kind: string }>;

/** All fields are read before the first change is made, so that an invalid one changes nothing. */
function changesOf(given: GuildChange): Change[] {
  const changes: Change[] = [];
  const { name, listed, premium_until: premiumUntil, sanction, rate_limit: rateLimit } = given;
  const { player_names: playerNames, goal } = given;
  if (name !== undefined) {
    const newName = plainText(name, 'name');
    changes.push((moderator, guildId) => renameGuild(moderator, guildId, newName));
  }
  if (listed !== undefined) changes.push((moderator, guildId) => setGuildListed(moderator, guildId, listed));
  if (premiumUntil !== undefined) {
    const until = readDate(premiumUntil);
    changes.push((moderator, guildId) => setGuildPremium(moderator, guildId, until));
  }
  if (sanction !== undefined) changes.push(sanctionChange(sanction));
  if (rateLimit !== undefined)
    changes.push((moderator, guildId) => setGuildRateLimit(moderator, guildId, rateLimit));
  if (playerNames !== undefined)
    changes.push((moderator, guildId) => setClaimSettings(moderator, guildId, { playerNames }));
  if (goal !== undefined) changes.push((moderator, guildId) => setGuildGoal(moderator, guildId, goal));
  return changes;
}

function sanctionChange(sanction: NonNullable<GuildChange['sanction']> | null): Change {
  if (sanction === null) return liftSanction;
  const reason = optionalText(sanction.reason, 'sanction.reason');
  return (moderator, guildId) => sanctionGuild(moderator, guildId, reason);
}

function deleteRoute(app: ManageInstance, deps: ManageDeps): void {
  const schema = {
    operation: deleteGuild,
    params: GuildIdParams,
    querystring: RemoveQuery,
    response: { 200: GuildRemoved },
  };
  app.delete(PATH, { schema, config: { scope: 'guilds:write' } }, async (request): Promise<GuildRemoved> => {
    const { guildId } = await requireGuild(deps.store, request.params.guild_id);
    if (request.query.confirm !== guildId) throw new ApiError('CONFIRMATION_REQUIRED');
    const { kind } = await removeGuildSoon(moderatorOf(request, deps), guildId, (err) =>
      request.log.warn(
        { err, guild: guildId },
        'rows of a deleted community are left; retention deletes them',
      ),
    );
    if (kind === 'unknown_guild') throw new ApiError('GUILD_NOT_FOUND');
    return { ok: true, guild_id: guildId };
  });
}

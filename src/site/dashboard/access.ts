import type { FastifyRequest } from 'fastify';
import type { Guild } from '../../domain/guild.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import { firstText } from '../../domain/text.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError } from '../errors/page-error.ts';
import { type Person, requirePerson } from '../session.ts';
import type { AdminGuild } from '../sign-in/sign-in.ts';

export type DashboardDeps = Pick<
  SiteDeps,
  'store' | 'clock' | 'secrets' | 'signIn' | 'webhooks' | 'publicUrl'
>;

/** The listed community of this address, and the admin of it who asks. Anybody else gets a page that says no. */
export async function requireAdmin(
  request: FastifyRequest,
  deps: DashboardDeps,
): Promise<{ guild: Guild; person: Person }> {
  const person = requirePerson(request);
  const guild = await findListedGuild(request, deps);
  if (!guild) throw new PageError('GUILD_NOT_FOUND');
  await requireAdminGuild(request, deps);
  return { guild, person };
}

export async function findListedGuild(
  request: FastifyRequest,
  { store }: DashboardDeps,
): Promise<Guild | undefined> {
  return store.guilds.find(guildIdOf(request));
}

/** The community of this address, which need not be listed, as Discord tells it to an admin of it. */
export async function requireAdminGuild(
  request: FastifyRequest,
  { signIn }: DashboardDeps,
): Promise<{ adminGuild: AdminGuild; person: Person }> {
  const person = requirePerson(request);
  const guildId = guildIdOf(request);
  const adminGuild = (await signIn.adminGuilds(request)).find((known) => known.guildId === guildId);
  if (!adminGuild) throw new PageError('FORBIDDEN');
  return { adminGuild, person };
}

/** The database is never asked for what cannot be an id. */
function guildIdOf(request: FastifyRequest): string {
  const guildId = firstText(request.params, 'guild_id') ?? '';
  if (!isSnowflake(guildId)) throw new PageError('GUILD_NOT_FOUND');
  return guildId;
}

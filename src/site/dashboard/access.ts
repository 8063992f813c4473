import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Guild } from '../../domain/guild.ts';
import { firstText, isSnowflake } from '../../domain/text.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError } from '../errors/page-error.ts';
import type { LiveChannels } from '../live.ts';
import { isVisit } from '../paths.ts';
import { type Person, requirePerson } from '../session.ts';
import type { AdminGuild } from '../sign-in/sign-in.ts';

export type DashboardDeps = Pick<
  SiteDeps,
  'store' | 'clock' | 'secrets' | 'signIn' | 'webhooks' | 'publicUrl'
> & { live: LiveChannels };

/** The community of a page, and the admin who requested it. */
export type Admin = { guild: Guild; person: Person };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every route of a community's dashboard before its handler runs. */
    admin: Admin | null;
  }
  interface FastifyContextConfig {
    /** Whether the route changes something or confirms a change. Default: true unless it is a plain page visit. */
    changes?: boolean;
  }
}

/**
 * Authorizes every route registered on this instance: its community is listed, the visitor is an admin of it, and it
 * is not changed while it is sanctioned. Everyone else gets an error page.
 */
export function authorizeAdmins(app: FastifyInstance, deps: DashboardDeps): void {
  app.addHook('preHandler', async (request) => {
    const person = requirePerson(request);
    const guild = await findListedGuild(request, deps);
    if (!guild) throw new PageError('GUILD_NOT_FOUND');
    await requireAdminGuild(request, deps);
    // Only admins can see that a community is sanctioned.
    if (guild.sanction && isChange(request)) throw new PageError('SANCTIONED');
    request.admin = { guild, person };
  });
}

export function adminOf({ admin }: FastifyRequest): Admin {
  if (!admin) throw new Error('this route is not registered where admins are authorized');
  return admin;
}

function isChange(request: FastifyRequest): boolean {
  return request.routeOptions.config.changes ?? !isVisit(request);
}

export async function findListedGuild(
  request: FastifyRequest,
  { store }: DashboardDeps,
): Promise<Guild | undefined> {
  return store.guilds.find(guildIdOf(request));
}

/** The community in the URL, listed or not, as Discord describes it to its admin. */
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

/** Skips the query for text that cannot be an id. */
function guildIdOf(request: FastifyRequest): string {
  const guildId = firstText(request.params, 'guild_id') ?? '';
  if (!isSnowflake(guildId)) throw new PageError('GUILD_NOT_FOUND');
  return guildId;
}

/**
 * Every form of the dashboard requires a signed-in person and the token of its page. The person is checked first:
 * without a session there is no token, and the page must say that the session has ended.
 */
export function protectForms(app: FastifyInstance): void {
  // Before the body is parsed.
  app.addHook('onRequest', async (request) => {
    if (!isVisit(request)) requirePerson(request);
  });
  app.addHook('preHandler', (request, reply, done) => {
    if (isVisit(request)) done();
    else app.csrfProtection(request, reply, done);
  });
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DAY_MS, HOUR_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { type RateLimit, rateStatusOf } from '../../store/rates.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError, type PageFault } from '../errors/page-error.ts';
import { guildIdOf } from '../find-guild.ts';
import { isVisit } from '../paths.ts';
import { type Person, requirePerson, requirePersonAgain } from '../session.ts';
import type { AdminGuild } from '../sign-in/sign-in.ts';

export type DashboardDeps = Pick<
  SiteDeps,
  'store' | 'leaderboards' | 'clock' | 'secrets' | 'signIn' | 'webhooks' | 'publicUrl' | 'hasVoterRoles'
>;

/** The community of a page, and the admin who requested it. */
type Admin = { guild: Guild; person: Person };

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
  app.addHook('preHandler', (request) => authorize(request, deps));
}

/** For routes with large bodies: authorizes before the body is read. */
export function authorizeBeforeBody(app: FastifyInstance, deps: DashboardDeps): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    await authorize(request, deps);
    return payload;
  });
}

async function authorize(request: FastifyRequest, deps: DashboardDeps): Promise<void> {
  const person = requirePerson(request);
  const guild = await findListedGuild(request, deps);
  if (!guild) throw new PageError('GUILD_NOT_FOUND');
  await requireAdminGuild(request, deps);
  // Only admins can see that a community is sanctioned.
  if (guild.sanction && isChange(request)) throw new PageError('SANCTIONED');
  request.admin = { guild, person };
}

/** Authorizes a response again that is sent over a longer time. Throws as for a new request. */
export async function authorizeAgain(request: FastifyRequest, deps: DashboardDeps): Promise<void> {
  await requirePersonAgain(request);
  await requireAdminGuild(request, deps);
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

/**
 * Limits on actions of the admins of one community that send requests or fill the database. Manual use stays far
 * below them. They are counted in the store, so all processes share them.
 */
export const DASHBOARD_LIMITS = {
  TOO_MANY_TESTS: { requests: 30, windowMs: HOUR_MS },
  /** Limits how often single events are sent again. */
  TOO_MANY_RESENDS: { requests: 120, windowMs: HOUR_MS },
  /** Limits how often all events since a given time are sent again. */
  TOO_MANY_REPLAYS: { requests: 10, windowMs: HOUR_MS },
  /** Counts reveals of the API key, of the secret for vote links and of webhook secrets together. */
  TOO_MANY_REVEALS: { requests: 60, windowMs: HOUR_MS },
  /** Rejected ones count too, because each may cause a DNS query. */
  TOO_MANY_ENDPOINTS: { requests: 20, windowMs: DAY_MS },
  /**
   * To settings, vote link secrets and webhooks. Replacing the API key, revoking a secret and removing an endpoint are
   * always possible.
   */
  TOO_MANY_CHANGES: { requests: 60, windowMs: HOUR_MS },
} as const satisfies Partial<Record<PageFault, RateLimit>>;

type LimitFault = keyof typeof DASHBOARD_LIMITS;

/** Counts one action. Only for admins, so that others cannot use up the limit of a community. */
export async function countAction(
  { store, clock }: Pick<DashboardDeps, 'store' | 'clock'>,
  guildId: string,
  fault: LimitFault,
): Promise<void> {
  const limit = DASHBOARD_LIMITS[fault];
  const now = clock();
  const window = await store.rates.hit(`dashboard:${fault}:${guildId}`, limit, now);
  const { isExceeded, resetSeconds } = rateStatusOf(window, limit, now);
  if (isExceeded) throw new PageError(fault, { retryAfterSeconds: resetSeconds });
}

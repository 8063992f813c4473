import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { signInAddress } from '../layout/page.ts';
import type { SignInLimiter } from './sign-in-limits.ts';

/**
 * A community server that the user administers, as reported by Discord. `icon` is Discord's name for it; null without
 * one, and absent if unknown.
 */
export type AdminGuild = { guildId: string; name: string; icon?: string | null };

/** Signs in with access to the user's communities, which voters are not asked for otherwise. */
export function guildsSignInAddress(returnTo: string): string {
  return `${signInAddress(returnTo)}&${GUILDS_PARAMETER}=1`;
}

/** `/sign-in?guilds=1` */
export const GUILDS_PARAMETER = 'guilds';

/** A way to sign in: Discord for a public site, demo users for a laptop. */
export interface SignIn {
  /** True when sign-in is simulated; every page shows that. */
  readonly isDemo: boolean;
  /** False when sign-in is not configured. */
  readonly isConfigured: boolean;
  /** The origin users are redirected to, which pages with a form must allow. Null: they stay on the site. */
  readonly origin: string | null;
  /** Adds `/sign-in` and related routes. `/sign-in?back=/path` returns there afterwards. */
  routes(app: FastifyInstance, limiter: SignInLimiter): void;
  /**
   * The communities where the signed-in user is owner or has ADMINISTRATOR, cached for at most 60 seconds. Throws
   * `PageError('SIGN_IN_UNAVAILABLE')` or `SIGN_IN_PAUSED` when Discord cannot be queried, and `SignInRequired` when
   * the user is signed out or Discord rejects the token.
   */
  adminGuilds(request: FastifyRequest): Promise<AdminGuild[]>;
  /**
   * Whether the signed-in user is a member of the community, cached for at most five minutes. `unknown` when the
   * sign-in did not include that access: `guildsSignInAddress` requests it. Throws like `adminGuilds`.
   */
  isMember(request: FastifyRequest, guildId: string): Promise<boolean | 'unknown'>;
  /** Called while the user is still signed in. Neither delays the response nor throws. */
  signOut?(request: FastifyRequest): void;
}

/** `POST /sign-out`. Signing out twice, by a double click or in another tab, is not an error. */
export function signOutRoute(app: FastifyInstance, signIn: SignIn): void {
  const protection = { onRequest: leaveStrangers, preHandler: app.csrfProtection };
  app.post('/sign-out', protection, (request, reply) => {
    signIn.signOut?.(request);
    request.session.delete();
    return leave(reply);
  });
}

/**
 * Changes no cookie: a form sent by another site arrives without the session cookie, and deleting it in the response
 * would sign its visitor out.
 */
async function leaveStrangers(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.person) await leave(reply);
}

function leave(reply: FastifyReply): FastifyReply {
  return reply.redirect('/', SEE_OTHER_STATUS);
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { signInAddress } from '../layout/page.ts';
import type { SignInLimiter } from './sign-in-limits.ts';

/** A community server that somebody administers, as Discord tells it. */
export type AdminGuild = { guildId: string; name: string };

/** Signs in and asks Discord for the person's communities, which voters are not asked for otherwise. */
export function guildsSignInAddress(returnTo: string): string {
  return `${signInAddress(returnTo)}&${GUILDS_PARAMETER}=1`;
}

/** `/sign-in?guilds=1` */
export const GUILDS_PARAMETER = 'guilds';

/** How people prove who they are. Discord does it for a site; demo people for a laptop. */
export interface SignIn {
  /** True when sign-in is simulated: every page says so. */
  readonly isDemo: boolean;
  /** False when nobody can sign in, because the operator has not set it up. */
  readonly isConfigured: boolean;
  /** The origin people are sent to from here, which pages with a form must allow. Null: they stay on the site. */
  readonly origin: string | null;
  /** Adds `/sign-in` and whatever the way of signing in needs. `/sign-in?back=/path` returns there afterwards. */
  routes(app: FastifyInstance, limiter: SignInLimiter): void;
  /**
   * The communities where the signed-in person is owner or has ADMINISTRATOR, known for at most 60 seconds.
   * Throws `PageError('SIGN_IN_UNAVAILABLE')` or `SIGN_IN_PAUSED` when that cannot be found out now, and `SignInRequired` when nobody is
   * signed in, or Discord says so.
   */
  adminGuilds(request: FastifyRequest): Promise<AdminGuild[]>;
  /**
   * Whether the signed-in person is a member of the community, known for at most five minutes. `unknown` when the sign-in
   * did not ask Discord for that: signing in with `guildsSignInAddress` does. Throws as `adminGuilds` does.
   */
  isMember(request: FastifyRequest, guildId: string): Promise<boolean | 'unknown'>;
  /** Called while the person is still signed in. Neither delays the answer nor throws. */
  signOut?(request: FastifyRequest): void;
}

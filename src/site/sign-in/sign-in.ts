import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerNetwork, callerNetworks, type WeightedNetwork } from '../../domain/address.ts';
import { type Clock, MINUTE_MS } from '../../domain/clock.ts';
import {
  type RateLimit,
  type RateStore,
  type RateWindow,
  rateStatusOf,
  WindowMap,
} from '../../store/rates.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { backPath, isAdminPath, pathToReturnTo, signInAddress } from '../paths.ts';
import { SignInRequired, signOut } from '../session.ts';

/**
 * A community server that the user administers, as reported by Discord. `icon` is Discord's name for it; null without
 * one, and absent if unknown. `name` is made safe by `cleanName`, and the id if nothing is left of it.
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
   * Checks that Discord still accepts the sign-in, cached for at most 60 seconds: for pages that need no list of
   * communities, but more than a cookie. Throws like `adminGuilds`.
   */
  verify(request: FastifyRequest): Promise<void>;
  /**
   * Whether the signed-in user is a member of the community, cached for at most five minutes. `unknown` when the
   * sign-in did not include that access: `guildsSignInAddress` requests it. Throws like `adminGuilds`.
   */
  isMember(request: FastifyRequest, guildId: string): Promise<boolean | 'unknown'>;
  /** Called at the sign-out, while the user is still signed in. Neither delays the response nor throws. */
  revokeToken?(request: FastifyRequest): void;
}

/** Sign-in is not configured: pages can be read and tell the operator what to do. */
export function missingSignIn(): SignIn {
  return {
    isDemo: false,
    isConfigured: false,
    origin: null,
    routes(app) {
      app.get('/sign-in', async () => {
        throw new PageError('SIGN_IN_NOT_CONFIGURED');
      });
    },
    adminGuilds: async () => {
      throw new SignInRequired();
    },
    verify: async () => {
      throw new SignInRequired();
    },
    isMember: async () => 'unknown',
  };
}

/** `POST /sign-out`. Signing out twice, by a double click or in another tab, is not an error. */
export function signOutRoute(app: FastifyInstance, signIn: SignIn): void {
  const protection = { onRequest: redirectSignedOut, preHandler: app.csrfProtection };
  app.post('/sign-out', protection, async (request, reply) => {
    signIn.revokeToken?.(request);
    await signOut(request);
    return redirectBack(request, reply);
  });
}

/**
 * Changes no cookie: a form sent by another site arrives without the session cookie, and deleting it in the response
 * would sign its visitor out.
 */
async function redirectSignedOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.person) await redirectBack(request, reply);
}

/** Redirects to the page with the form, or to the home page if that page requires sign-in. */
function redirectBack(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = backPath(pathToReturnTo(request)) ?? '/';
  return reply.redirect(isAdminPath(page) ? '/' : page, SEE_OTHER_STATUS);
}

/** Limits on requests to `/sign-in*` per network. Counted in the store, so all processes share them. */
export type SignInLimits = {
  /** Requests to any sign-in path. */
  requests: RateLimit;
  /** Codes that Discord rejected. Every forged code costs a request to Discord. */
  failures: RateLimit;
};

export const SIGN_IN_LIMITS: SignInLimits = {
  requests: { requests: 300, windowMs: MINUTE_MS },
  failures: { requests: 30, windowMs: MINUTE_MS },
};

export type SignInLimiter = {
  /** Throws an error page with the waiting time once the network has exceeded its limit. */
  countRequest(request: FastifyRequest): Promise<void>;
  /** Runs the work unless too many attempts of this network have failed. */
  redeem<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>;
};

type LimiterDeps = { rates: RateStore; clock: Clock; limits?: SignInLimits | undefined };

/**
 *   const limiter = signInLimiter({ rates: store.rates, clock });
 *   app.addHook('onRequest', limiter.countRequest);
 *   const grant = await limiter.redeem(request, () => oauth.redeem(…));
 */
export function signInLimiter({ rates, clock, limits = SIGN_IN_LIMITS }: LimiterDeps): SignInLimiter {
  const failures = new WindowMap();
  const inProgress = new Map<string, number>();
  const failureLimit = (weight: number): RateLimit => ({
    ...limits.failures,
    requests: weight * limits.failures.requests,
  });

  function refuse(window: RateWindow, limit: RateLimit): never {
    const { resetSeconds } = rateStatusOf(window, limit, clock());
    throw new PageError('TOO_MANY_SIGN_INS', { retryAfterSeconds: resetSeconds });
  }

  /** Work in progress counts as failed until it succeeds; otherwise a burst would pass before the first result. */
  function check({ network, weight }: WeightedNetwork): void {
    const now = clock();
    const window = failures.get(network, now) ?? { hits: 0, resetsAt: now };
    const begun = inProgress.get(network) ?? 0;
    const limit = failureLimit(weight);
    if (window.hits + begun >= limit.requests) refuse(window, limit);
  }

  function begin({ network }: WeightedNetwork): void {
    inProgress.set(network, (inProgress.get(network) ?? 0) + 1);
  }

  async function countFailure({ network, weight }: WeightedNetwork): Promise<void> {
    const window = await rates.hit(`sign-in-failure:${network}`, failureLimit(weight), clock());
    failures.set(network, window, clock());
  }

  function release({ network }: WeightedNetwork): void {
    const rest = (inProgress.get(network) ?? 0) - 1;
    if (rest > 0) inProgress.set(network, rest);
    else inProgress.delete(network);
  }

  return {
    async countRequest({ ip }) {
      const window = await rates.hit(`sign-in:${callerNetwork(ip)}`, limits.requests, clock());
      if (window.hits > limits.requests.requests) refuse(window, limits.requests);
    },
    async redeem({ ip }, work) {
      // Each rejected code is a request to Discord, which would block sign-in for everyone if there were too many.
      const networks = callerNetworks(ip);
      networks.forEach(check);
      networks.forEach(begin);
      try {
        return await work();
      } catch (error) {
        await Promise.all(networks.map(countFailure));
        throw error;
      } finally {
        networks.forEach(release);
      }
    },
  };
}

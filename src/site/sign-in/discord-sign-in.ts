import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { originOf } from '../../domain/host.ts';
import { firstText } from '../../domain/record.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import { SESSION_MS } from '../../store/users.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { backPath } from '../paths.ts';
import { accountOf, endSession, type Person, SignInRequired, startSession } from '../session.ts';
import { type DiscordApi, DiscordPause, discordApi, discordEndpoints, TokenRefused } from './discord-api.ts';
import {
  type DiscordOAuth,
  discordOAuth,
  GUILDS_SCOPES,
  keepAttempt,
  packPath,
  takeAttempt,
  unpackPath,
  VOTER_SCOPES,
} from './discord-oauth.ts';
import { type AdminGuild, GUILDS_PARAMETER, type SignIn, type SignInLimiter } from './sign-in.ts';

export type DiscordOptions = {
  clientId: string;
  clientSecret: string;
  /** Null: Discord itself. */
  api: string | null;
  /** Null: the URL that the browser used. Discord only redirects to registered URLs. */
  publicUrl: string | null;
  clock: Clock;
  userAgent: string;
  timeLimitMs?: number;
  /** Called with the communities of an admin when they are read from Discord. */
  onAdminGuilds?: OnAdminGuilds;
};

type OnAdminGuilds = (guilds: readonly AdminGuild[], admin: Person) => void;

type Discord = Required<DiscordOptions> & { oauth: DiscordOAuth; people: DiscordApi; pause: DiscordPause };

const CALLBACK_PATH = '/sign-in/callback';
const DASHBOARD = /^\/dashboard(?:[/?]|$)/;

export function discordSignIn(options: DiscordOptions): SignIn {
  const { timeLimitMs = 5 * SECOND_MS, onAdminGuilds = () => {} } = options;
  const endpoints = discordEndpoints(options.api);
  const pause = new DiscordPause(options.clock);
  const people = discordApi(endpoints, options.userAgent, pause);
  const oauth = discordOAuth({ ...options, endpoints, pause });
  const discord = { ...options, timeLimitMs, onAdminGuilds, people, oauth, pause };
  return {
    isDemo: false,
    isConfigured: true,
    origin: endpoints.authorize.origin,
    routes(app, limiter) {
      beginRoute(app, discord);
      callbackRoute(app, discord, limiter);
    },
    ...discordGuilds(discord),
    revokeToken: (request) => revokeToken(request, discord),
  };
}

function beginRoute(app: FastifyInstance, { oauth, publicUrl, clock, pause }: Discord): void {
  app.get('/sign-in', async (request, reply) => {
    // Checked before the user is sent to Discord's consent page.
    pause.check();
    const back = backPath(firstText(request.query, 'back'));
    const coversGuilds = DASHBOARD.test(back ?? '') || firstText(request.query, GUILDS_PARAMETER) === '1';
    const scopes = coversGuilds ? GUILDS_SCOPES : VOTER_SCOPES;
    const { address, attempt } = await oauth.begin(redirectUri(request, publicUrl), scopes);
    const packed = back === undefined ? undefined : packPath(back);
    keepAttempt(request, { ...attempt, startedAt: clock(), coversGuilds, back: packed });
    return leaveFor(reply, address);
  });
}

function callbackRoute(app: FastifyInstance, discord: Discord, limiter: SignInLimiter): void {
  app.get(CALLBACK_PATH, { config: { returnPath: CALLBACK_PATH } }, async (request, reply) => {
    const { oauth, people, publicUrl, clock, timeLimitMs, pause } = discord;
    // The attempt is kept, so the same URL works after the pause.
    pause.check();
    const given = queryOf(request);
    const attempt = takeAttempt(request, given.get('state'), clock());
    if (!attempt) throw new PageError('SIGN_IN_STALE');
    const answer = oauth.readAnswer(given, attempt);
    const signal = AbortSignal.timeout(timeLimitMs);
    const grant = await limiter.redeem(request, () =>
      oauth.redeem(answer, attempt, redirectUri(request, publicUrl), signal),
    );
    const profile = await people.person(grant.accessToken, signal).catch((cause: unknown) => {
      throw cause instanceof PageError ? cause : new PageError('SIGN_IN_UNAVAILABLE', { cause });
    });
    const back = request.session.get('back');
    const expiresAt = clock() + (grant.lifetimeMs ?? SESSION_MS);
    const token = { text: grant.accessToken, expiresAt, coversGuilds: attempt.coversGuilds };
    await startSession(request, profile, { token });
    return leaveFor(reply, back === undefined ? '/' : unpackPath(back));
  });
}

/** Best effort, in the background: otherwise the token expires on its own. */
function revokeToken(request: FastifyRequest, { oauth, timeLimitMs }: Discord): void {
  const token = accountOf(request)?.token;
  if (!token) return;
  oauth.revoke(token.text, AbortSignal.timeout(timeLimitMs)).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    request.log.warn({ reason }, 'the token of Discord was not revoked');
  });
}

/** The raw query: a parsed one would merge repeated parameters. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}

function redirectUri(request: FastifyRequest, publicUrl: string | null): string {
  return `${publicUrl ?? originOf(request.host)}${CALLBACK_PATH}`;
}

/** These responses are personal and must not be cached. */
function leaveFor(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, SEE_OTHER_STATUS);
}

const ADMIN_FRESH_MS = MINUTE_MS;
const MEMBER_FRESH_MS = 5 * MINUTE_MS;
const MAX_SIGN_INS = 10_000;

type GuildsOptions = {
  people: DiscordApi;
  clock: Clock;
  timeLimitMs: number;
  onAdminGuilds: OnAdminGuilds;
};

/** Queries Discord at most once a minute per sign-in; for memberships, every five minutes. */
function discordGuilds(options: GuildsOptions): Pick<SignIn, 'adminGuilds' | 'isMember' | 'verify'> {
  const { people, clock, timeLimitMs, onAdminGuilds } = options;
  const limits = { clock, maxEntries: MAX_SIGN_INS };
  const adminGuilds = ttlCache<AdminGuild[]>({ ...limits, maxAgeMs: ADMIN_FRESH_MS });
  const memberships = ttlCache<string[]>({ ...limits, maxAgeMs: MEMBER_FRESH_MS });
  const verified = ttlCache<string>({ ...limits, maxAgeMs: ADMIN_FRESH_MS });

  /** Maps Discord errors to error pages. */
  async function ask<T>(request: FastifyRequest, question: (token: string) => Promise<T>): Promise<T> {
    const token = accountOf(request)?.token;
    if (!token) throw new SignInRequired();
    try {
      if (clock() >= token.expiresAt) throw new TokenRefused('the token has expired');
      return await question(token.text);
    } catch (cause) {
      if (cause instanceof PageError) throw cause;
      if (!(cause instanceof TokenRefused)) throw new PageError('SIGN_IN_UNAVAILABLE', { cause });
      endSession(request);
      throw new SignInRequired({ cause });
    }
  }

  return {
    async verify(request) {
      const load = async (token: string) =>
        (await people.person(token, AbortSignal.timeout(timeLimitMs))).userId;
      const userId = await ask(request, (token) => verified.get(token, () => load(token)));
      if (userId !== request.person?.userId) throw new SignInRequired();
    },
    async adminGuilds(request) {
      if (!accountOf(request)?.token?.coversGuilds) throw new SignInRequired();
      const load = async (token: string) => {
        const guilds = await people.adminGuilds(token, AbortSignal.timeout(timeLimitMs));
        if (request.person) onAdminGuilds(guilds, request.person);
        return guilds;
      };
      return ask(request, async (token) => [...(await adminGuilds.get(token, () => load(token)))]);
    },
    async isMember(request, guildId) {
      if (!accountOf(request)?.token?.coversGuilds) return 'unknown';
      const load = (token: string) => people.guildIds(token, AbortSignal.timeout(timeLimitMs));
      return ask(request, async (token) => {
        if ((await memberships.get(token, () => load(token))).includes(guildId)) return true;
        // Checks again, so that a user who has just joined is not rejected because of a cached result.
        return (await memberships.refresh(token, () => load(token))).includes(guildId);
      });
    },
  };
}

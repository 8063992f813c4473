import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { briefCache } from '../../../domain/brief-cache.ts';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../domain/clock.ts';
import { firstText } from '../../../domain/text.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { accountOf, endSession, SESSION_MS, SignInRequired, startSession } from '../../session.ts';
import { type AdminGuild, GUILDS_PARAMETER, type SignIn } from '../sign-in.ts';
import type { SignInLimiter } from '../sign-in-limits.ts';
import { type DiscordApi, discordApi, discordEndpoints, TokenRefused } from './api.ts';
import { backPath, keepAttempt, packPath, takeAttempt, unpackPath } from './attempts.ts';
import { type DiscordOAuth, discordOAuth, GUILDS_SCOPES, VOTER_SCOPES } from './oauth.ts';
import { DiscordPause } from './pause.ts';

export type DiscordOptions = {
  clientId: string;
  clientSecret: string;
  /** Null: Discord itself. */
  api: string | null;
  /** Null: the address a browser reached us under. Discord only returns people to addresses it was told of. */
  publicUrl: string | null;
  clock: Clock;
  userAgent: string;
  timeLimitMs?: number;
};

type Discord = Required<DiscordOptions> & { oauth: DiscordOAuth; people: DiscordApi; pause: DiscordPause };

const CALLBACK_PATH = '/sign-in/callback';
const DASHBOARD = /^\/dashboard(?:[/?]|$)/;

export function discordSignIn(options: DiscordOptions): SignIn {
  const { timeLimitMs = 5 * SECOND_MS } = options;
  const endpoints = discordEndpoints(options.api);
  const pause = new DiscordPause(options.clock);
  const people = discordApi(endpoints, options.userAgent, pause);
  const oauth = discordOAuth({ ...options, endpoints, pause });
  const discord = { ...options, timeLimitMs, people, oauth, pause };
  return {
    isDemo: false,
    isConfigured: true,
    origin: endpoints.authorize.origin,
    routes(app, limiter) {
      beginRoute(app, discord);
      callbackRoute(app, discord, limiter);
    },
    ...discordGuilds(discord),
    signOut: (request) => revokeToken(request, discord),
  };
}

function beginRoute(app: FastifyInstance, { oauth, publicUrl, clock, pause }: Discord): void {
  app.get('/sign-in', async (request, reply) => {
    // Told before somebody consents at Discord for nothing.
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
    // The attempt is kept: the same address works when the pause is over.
    pause.check();
    const given = queryOf(request);
    const attempt = takeAttempt(request, given.get('state'), clock());
    if (!attempt) throw new PageError('SIGN_IN_STALE');
    const answer = oauth.readAnswer(given, attempt);
    const signal = AbortSignal.timeout(timeLimitMs);
    const grant = await limiter.redeem(request, () =>
      oauth.redeem(answer, attempt, redirectUri(request, publicUrl), signal),
    );
    const person = await people.person(grant.accessToken, signal).catch((cause: unknown) => {
      throw cause instanceof PageError ? cause : new PageError('SIGN_IN_UNAVAILABLE', { cause });
    });
    const back = request.session.get('back');
    const signedInAt = clock();
    const expiresAt = signedInAt + (grant.lifetimeMs ?? SESSION_MS);
    const token = { text: grant.accessToken, expiresAt, coversGuilds: attempt.coversGuilds };
    startSession(request, { person, signedInAt, isDemo: false, token });
    return leaveFor(reply, back === undefined ? '/' : unpackPath(back));
  });
}

/** Best effort: nobody waits for it, and without it the token ends by itself. */
function revokeToken(request: FastifyRequest, { oauth, timeLimitMs }: Discord): void {
  const token = accountOf(request)?.token;
  if (!token) return;
  oauth.revoke(token.text, AbortSignal.timeout(timeLimitMs)).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    request.log.warn({ reason }, 'the token of Discord was not revoked');
  });
}

/** As it came: a parsed query would have merged what was given twice. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}

function redirectUri(request: FastifyRequest, publicUrl: string | null): string {
  return `${publicUrl ?? `https://${request.host}`}${CALLBACK_PATH}`;
}

/** These answers are about one person, and never to be kept. */
function leaveFor(reply: FastifyReply, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, SEE_OTHER_STATUS);
}

const ADMIN_FRESH_MS = MINUTE_MS;
const MEMBER_FRESH_MS = 5 * MINUTE_MS;
const MAX_SIGN_INS = 10_000;

export type GuildsOptions = { people: DiscordApi; clock: Clock; timeLimitMs: number };

/** Asks Discord at most once a minute for each sign-in, however many pages want to know; for members, every five. */
export function discordGuilds(options: GuildsOptions): Pick<SignIn, 'adminGuilds' | 'isMember'> {
  const { people, clock, timeLimitMs } = options;
  const limits = { clock, maxEntries: MAX_SIGN_INS };
  const adminGuilds = briefCache<AdminGuild[]>({ ...limits, maxAgeMs: ADMIN_FRESH_MS });
  const memberships = briefCache<string[]>({ ...limits, maxAgeMs: MEMBER_FRESH_MS });

  /** Turns what Discord refuses into what the person is told. */
  async function ask<T>(request: FastifyRequest, question: (token: string) => Promise<T>): Promise<T> {
    const token = accountOf(request)?.token;
    if (!token?.coversGuilds) throw new SignInRequired();
    try {
      if (clock() >= token.expiresAt) throw new TokenRefused('the token has run out');
      return await question(token.text);
    } catch (cause) {
      if (cause instanceof PageError) throw cause;
      if (!(cause instanceof TokenRefused)) throw new PageError('SIGN_IN_UNAVAILABLE', { cause });
      endSession(request);
      throw new SignInRequired({ cause });
    }
  }

  return {
    adminGuilds: (request) =>
      ask(request, async (token) => [
        ...(await adminGuilds.get(token, () => people.adminGuilds(token, AbortSignal.timeout(timeLimitMs)))),
      ]),
    async isMember(request, guildId) {
      if (!accountOf(request)?.token?.coversGuilds) return 'unknown';
      const load = (token: string) => people.guildIds(token, AbortSignal.timeout(timeLimitMs));
      return ask(request, async (token) => {
        if ((await memberships.get(token, () => load(token))).includes(guildId)) return true;
        // Somebody who has just joined is not sent away for what was true some minutes ago.
        return (await memberships.refresh(token, () => load(token))).includes(guildId);
      });
    },
  };
}

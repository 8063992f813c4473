import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, SECOND_MS } from '../../../domain/clock.ts';
import { firstText } from '../../../domain/first-text.ts';
import { PageError, SEE_OTHER_STATUS } from '../../page-error.ts';
import { accountOf, SESSION_MS, startSession } from '../../session.ts';
import { backPath, packPath, unpackPath } from '../back-path.ts';
import type { SignIn } from '../sign-in.ts';
import type { SignInLimiter } from '../sign-in-limits.ts';
import { discordAdminGuilds } from './admin-guilds.ts';
import { type DiscordApi, discordApi } from './api.ts';
import { keepAttempt, takeAttempt } from './attempts.ts';
import { discordEndpoints } from './endpoints.ts';
import { type DiscordOAuth, discordOAuth } from './oauth.ts';
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
    adminGuilds: discordAdminGuilds(discord),
    signOut: (request) => revokeToken(request, discord),
  };
}

function beginRoute(app: FastifyInstance, { oauth, publicUrl, clock, pause }: Discord): void {
  app.get('/sign-in', async (request, reply) => {
    // Told before somebody consents at Discord for nothing.
    pause.check();
    const { address, attempt } = await oauth.begin(redirectUri(request, publicUrl));
    const back = backPath(firstText(request.query, 'back'));
    const packed = back === undefined ? undefined : packPath(back);
    keepAttempt(request, { ...attempt, startedAt: clock(), back: packed });
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
    const token = { text: grant.accessToken, expiresAt: signedInAt + (grant.lifetimeMs ?? SESSION_MS) };
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

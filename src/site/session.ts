import { hkdfSync } from 'node:crypto';
import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import secureSession from '@fastify/secure-session';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { isLoopbackHost } from '../domain/address.ts';
import { type Clock, DAY_MS, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { keysOf, seal, unseal } from '../domain/secrets.ts';
import type { UserProfile } from '../store/users.ts';
import { type PageFault, SEE_OTHER_STATUS } from './errors/page-error.ts';
import { isVisit } from './paths.ts';

/** A signed-in user. */
export type Person = { userId: string; name: string };

/**
 * The session, stored only in an encrypted cookie:
 *
 *   app.register(session, { key: secrets.sessionKey, clock, isDemo: signIn.isDemo });
 *
 * sets `request.person` for every page. A modified cookie, or one made with another secret, is ignored.
 */

/** The token for requests to Discord about a person. */
type AccessToken = {
  text: string;
  expiresAt: Instant;
  /** Whether access to the person's communities was requested too. */
  coversGuilds: boolean;
};

type Account = {
  person: Person;
  signedInAt: Instant;
  /** Demo sessions are ignored once real sign-in is configured, and vice versa. */
  isDemo: boolean;
  /** Null for demo users. */
  token: AccessToken | null;
};

declare module '@fastify/secure-session' {
  interface SessionData {
    account: Account;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    onSignIn: OnSignIn;
    flashes: { key: Buffer; clock: Clock };
  }
  interface FastifyRequest {
    /** The signed-in user. Set for every page before its handler runs. */
    person: Person | null;
    /** What this page shows once; null unless a form led here. */
    flash: Flash | null;
  }
}

/** Browsers accept cookies with this prefix only from this host over HTTPS, so a subdomain cannot set one. */
export const SESSION_COOKIE = '__Host-votary_session';
export const SESSION_MS = 7 * DAY_MS;

const SESSION_SECONDS = SESSION_MS / SECOND_MS;

/** `onSignIn` is called after every sign-in. */
type SessionOptions = { key: Buffer; clock: Clock; isDemo: boolean; onSignIn?: OnSignIn };

type OnSignIn = (profile: UserProfile) => Promise<void>;

export const session = fastifyPlugin<SessionOptions>(
  async (app, { key, clock, isDemo, onSignIn = async () => {} }) => {
    app.decorate('onSignIn', onSignIn);
    const keys = keysOf(key);
    const flashKeys = keys.map((single) => hkdfSync('sha256', single, '', 'votary/flash/v1', single.length));
    app.decorate('flashes', { key: Buffer.concat(flashKeys.map((single) => Buffer.from(single))), clock });
    app.decorateRequest('person', null);
    app.decorateRequest('flash', null);
    await app.register(cookie);
    await app.register(secureSession, {
      key: keys,
      cookieName: SESSION_COOKIE,
      expiry: SESSION_SECONDS,
      cookie: { path: '/', httpOnly: true, secure: true, sameSite: 'lax', maxAge: SESSION_SECONDS },
    });
    await app.register(csrfProtection, { sessionPlugin: '@fastify/secure-session' });
    app.addHook('onRequest', async (request, reply) => {
      const account = request.session.get('account');
      // A demo session is only valid for a browser on this machine. In other requests it is ignored, but kept.
      if (account && !(account.isDemo && isFromOutside(request))) {
        if (account.isDemo === isDemo && isCurrent(account, clock())) request.person = account.person;
        else endSession(request);
      }
      takeFlash(request, reply);
    });
  },
);

/** Starts a new session without anything from the old one, which prevents session fixation. */
export async function startSession(
  request: FastifyRequest,
  profile: UserProfile,
  account: Omit<Account, 'person'>,
): Promise<void> {
  const person = { userId: profile.userId, name: profile.name };
  request.session.regenerate();
  request.session.set('account', { ...account, person });
  request.person = person;
  await request.server.onSignIn(profile);
}

/** Signs out, also for the rest of this request. */
export function endSession(request: FastifyRequest): void {
  request.session.regenerate();
  request.person = null;
}

/** The account behind `request.person`. */
export function accountOf(request: FastifyRequest): Account | undefined {
  return request.person ? request.session.get('account') : undefined;
}

/** The cookie is rewritten on every change, so its age is not that of the sign-in. */
function isCurrent({ signedInAt }: Account, now: Instant): boolean {
  return now < signedInAt + SESSION_MS;
}

/** Requires sign-in. A page redirects to it; a form gets an error page. */
export class SignInRequired extends Error {
  constructor(options?: ErrorOptions) {
    super('sign-in required', options);
    this.name = 'SignInRequired';
  }
}

/** The signed-in user of a protected page; others are sent to sign in and come back. */
export function requirePerson(request: FastifyRequest): Person {
  if (!request.person) throw new SignInRequired();
  return request.person;
}

/** Added by proxies; browsers never send them. */
const PROXY_HEADER = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/;

/** Whether this request may use demo features. `isDemo` means that the service was started as a demo. */
export function isDemoRequest(request: FastifyRequest, { isDemo }: { isDemo: boolean }): boolean {
  return isDemo && !isFromOutside(request);
}

/**
 * Whether the request may come from another machine, although it arrived over loopback under a loopback name, as a
 * default `proxy_pass` forwards it. nginx adds no header by itself, but older versions use HTTP/1.0, which no browser
 * does; and a form still carries the visitor's `Origin`.
 */
export function isFromOutside({ headers, raw }: FastifyRequest): boolean {
  if (raw.httpVersion === '1.0' || isForeign(headers.origin)) return true;
  return Object.keys(headers).some((name) => PROXY_HEADER.test(name));
}

function isForeign(origin: string | undefined): boolean {
  const url = origin === undefined ? null : URL.parse(origin);
  return url !== null && !isLoopbackHost(url.hostname);
}

/**
 * What a page shows once, after the form that led to it. The browser is redirected from the form to the page, and this
 * is passed on in an encrypted cookie, so that neither Back nor Reload sends the form again, with or without scripts
 * (docs/decisions/0033-post-redirect-get.md). Each page declares its own part.
 */
export interface Flash {
  /** The form was rejected: the error page is shown instead of the page itself. */
  refused?: { fault: PageFault; retryAfterSeconds: number | undefined; requestId: string };
}

type SealedFlash = { path: string; until: Instant; flash: Flash };

const FLASH_COOKIE = '__Host-votary_flash';
const FLASH_OPTIONS = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;
const FLASH_MS = MINUTE_MS;
/** Browsers ignore a cookie whose name and value have more than 4,096 bytes. */
const MAX_COOKIE_LENGTH = 4096 - FLASH_COOKIE.length;

/**
 * Redirects to a page that shows the flash. `undefined` if the response must be the page itself: for programs, which
 * read its status; for old browsers, which cannot be told from programs; and if the flash is too long for a cookie.
 */
export function redirectWithFlash(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
  flash: Flash,
): FastifyReply | undefined {
  if (!isOwnForm(request)) return undefined;
  const { key, clock } = request.server.flashes;
  const sealed: SealedFlash = { path: address.replace(/#.*/s, ''), until: clock() + FLASH_MS, flash };
  const cookie = seal(JSON.stringify(sealed), flashContext(request), key);
  if (cookie.length > MAX_COOKIE_LENGTH) return undefined;
  return reply
    .setCookie(FLASH_COOKIE, cookie, { ...FLASH_OPTIONS, maxAge: FLASH_MS / SECOND_MS })
    .redirect(address, SEE_OTHER_STATUS);
}

/** Whether a browser sent a form of this site, and shows the response as a page. */
function isOwnForm({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-site'] === 'same-origin';
}

/** Only the page that the flash is for removes the cookie; requests for other pages and files keep it. */
function takeFlash(request: FastifyRequest, reply: FastifyReply): void {
  const cookie = request.cookies[FLASH_COOKIE];
  if (!cookie || !isVisit(request)) return;
  const { key, clock } = request.server.flashes;
  const text = unseal(cookie, flashContext(request), key);
  if (text === undefined) return;
  const { path, until, flash }: SealedFlash = JSON.parse(text);
  if (path !== request.url) return;
  reply.clearCookie(FLASH_COOKIE, FLASH_OPTIONS);
  if (clock() < until) request.flash = flash;
}

/** Binds the flash to the user, so that nobody who signs in later in the same browser sees it. */
function flashContext({ person }: FastifyRequest): string {
  return `flash ${person?.userId ?? ''}`;
}

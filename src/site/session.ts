import { hkdfSync } from 'node:crypto';
import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import secureSession from '@fastify/secure-session';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { isLoopbackHost } from '../domain/address.ts';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { keysOf, seal, unseal } from '../domain/secrets.ts';
import { SESSION_MS, type UserProfile, type UserStore } from '../store/users.ts';
import { type PageFault, SEE_OTHER_STATUS } from './errors/page-error.ts';
import { isVisit } from './paths.ts';

/** A signed-in user. */
export type Person = { userId: string; name: string };

/**
 * The session, stored in an encrypted cookie:
 *
 *   app.register(session, { key: secrets.sessionKey, clock, isDemo: signIn.isDemo, users: store.users });
 *
 * sets `request.person` for every page. A modified cookie, or one made with another secret, is ignored. The server
 * stores only when users signed out, which ends every session that they have, copies of the cookie included.
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
    sessions: { users: SignOuts; clock: Clock; isDemo: boolean };
    flashes: { key: Buffer; clock: Clock };
  }
  interface FastifyRequest {
    /** The signed-in user. Set for every page before its handler runs. */
    person: Person | null;
    /** What this page shows once; null unless a form led here. */
    flash: Flash | null;
  }
  interface FastifyContextConfig {
    /** Whether this is a file that is the same for everyone: the session is not read, so `person` is null. */
    isPublicFile?: boolean;
  }
}

/** Browsers accept cookies with this prefix only from this host over HTTPS, so a subdomain cannot set one. */
export const SESSION_COOKIE = '__Host-votary_session';
const SESSION_SECONDS = SESSION_MS / SECOND_MS;

type SignOuts = Pick<UserStore, 'signOut' | 'signedOutAt'>;

/** `onSignIn` is called after every sign-in. */
type SessionOptions = {
  key: Buffer;
  clock: Clock;
  isDemo: boolean;
  users: SignOuts;
  onSignIn?: OnSignIn;
};

type OnSignIn = (profile: UserProfile) => Promise<void>;

export const session = fastifyPlugin<SessionOptions>(
  async (app, { key, clock, isDemo, users, onSignIn = async () => {} }) => {
    app.decorate('onSignIn', onSignIn);
    app.decorate('sessions', { users, clock, isDemo });
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
      if (request.routeOptions.config.isPublicFile) return;
      const account = request.session.get('account');
      // A demo session is only valid for a browser on this machine. In other requests it is ignored, but kept.
      if (account && !(account.isDemo && isFromOutside(request))) {
        if (await isCurrent(account, app.sessions)) request.person = account.person;
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
  { token }: Pick<Account, 'token'>,
): Promise<void> {
  const { users, clock, isDemo } = request.server.sessions;
  const person = { userId: profile.userId, name: profile.name };
  // After the last sign-out, also if that was recorded by a machine whose clock is ahead.
  const signedOutAt = await users.signedOutAt(person.userId);
  const signedInAt = Math.max(clock(), (signedOutAt ?? 0) + 1);
  request.session.regenerate();
  request.session.set('account', { signedInAt, isDemo, token, person });
  request.person = person;
  await request.server.onSignIn(profile);
}

/** Signs out: ends every session of the user, in all browsers and processes, and every copy of their cookies. */
export async function signOut(request: FastifyRequest): Promise<void> {
  const account = accountOf(request);
  if (!account) return;
  const { users, clock } = request.server.sessions;
  await users.signOut(account.person.userId, Math.max(clock(), account.signedInAt));
  request.session.delete();
  request.person = null;
}

/** Removes the session from this browser, also for the rest of this request. */
export function endSession(request: FastifyRequest): void {
  request.session.regenerate();
  request.person = null;
}

/** The account behind `request.person`. */
export function accountOf(request: FastifyRequest): Account | undefined {
  return request.person ? request.session.get('account') : undefined;
}

/**
 * Whether the session has not ended: the only place that decides this. The cookie is rewritten on every change, so its
 * age is not that of the sign-in. The sign-out is read every time, not cached: it applies to the next request.
 */
async function isCurrent(
  account: Account,
  { users, clock, isDemo }: FastifyInstance['sessions'],
): Promise<boolean> {
  const { person, signedInAt } = account;
  if (account.isDemo !== isDemo || clock() >= signedInAt + SESSION_MS) return false;
  const signedOutAt = await users.signedOutAt(person.userId);
  return signedOutAt === undefined || signedInAt > signedOutAt;
}

/** Checks the session of a response again that is sent over a longer time. Throws `SignInRequired`. */
export async function requirePersonAgain(request: FastifyRequest): Promise<Person> {
  const account = accountOf(request);
  if (!account || !(await isCurrent(account, request.server.sessions))) throw new SignInRequired();
  return account.person;
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

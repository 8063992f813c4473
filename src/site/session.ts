import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import secureSession from '@fastify/secure-session';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type Clock, type Instant, SECOND_MS } from '../domain/clock.ts';
import { keysOf } from '../domain/secrets.ts';
import { SESSION_MS, type UserProfile, type UserStore } from '../store/users.ts';
import { isFromOutside } from './demo-request.ts';
import { flashKey, takeFlash } from './flash.ts';

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
  }
  interface FastifyRequest {
    /** The signed-in user. Set for every page before its handler runs. */
    person: Person | null;
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
    app.decorate('flashes', { key: flashKey(keys), clock });
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

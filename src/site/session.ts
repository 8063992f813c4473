import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import secureSession from '@fastify/secure-session';
import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type Clock, DAY_MS, type Instant, SECOND_MS } from '../domain/clock.ts';
import { isFromOutside } from './demo-request.ts';

/** Somebody who is signed in. */
export type Person = { userId: string; name: string };

/** Two letters that stand for a person or a community where there is no picture. */
export function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters =
    words.length > 1 ? words.slice(0, 2).map((word) => firstLetter(word)) : [firstLetter(words[0] ?? '?')];
  return letters.join('').toUpperCase();
}

function firstLetter(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0x3f);
}

/**
 * Who is signed in, kept in an encrypted cookie and nowhere else:
 *
 *   app.register(session, { key: secrets.sessionKey, clock, isDemo: signIn.isDemo });
 *
 * gives `request.person` to every page. A cookie that was changed, or made under another secret, is nobody's.
 */

/** What lets us ask Discord about a person. */
export type AccessToken = {
  text: string;
  expiresAt: Instant;
  /** Whether Discord was asked for the person's communities, too. */
  coversGuilds: boolean;
};

export type Account = {
  person: Person;
  signedInAt: Instant;
  /** A demo person is nobody once real sign-in is configured, and the other way round. */
  isDemo: boolean;
  /** Demo people have none. */
  token: AccessToken | null;
};

declare module '@fastify/secure-session' {
  interface SessionData {
    account: Account;
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    onSignIn: () => void;
  }
  interface FastifyRequest {
    /** Who is signed in. Set for every page before its handler runs. */
    person: Person | null;
  }
}

/** Browsers take a name that starts like this from this very host and over HTTPS only: no subdomain can plant one. */
export const SESSION_COOKIE = '__Host-votary_session';
export const SESSION_MS = 7 * DAY_MS;

const SESSION_SECONDS = SESSION_MS / SECOND_MS;

/** `onSignIn` is called whenever somebody has signed in. */
export type SessionOptions = { key: Buffer; clock: Clock; isDemo: boolean; onSignIn?: () => void };

export const session = fastifyPlugin<SessionOptions>(
  async (app, { key, clock, isDemo, onSignIn = () => {} }) => {
    app.decorate('onSignIn', onSignIn);
    app.decorateRequest('person', null);
    await app.register(cookie);
    await app.register(secureSession, {
      key,
      cookieName: SESSION_COOKIE,
      expiry: SESSION_SECONDS,
      cookie: { path: '/', httpOnly: true, secure: true, sameSite: 'lax', maxAge: SESSION_SECONDS },
    });
    await app.register(csrfProtection, { sessionPlugin: '@fastify/secure-session' });
    app.addHook('onRequest', async (request) => {
      const account = request.session.get('account');
      // A demo session is for a browser on this machine: left alone, and not honoured, whoever else sends it.
      if (!account || (account.isDemo && isFromOutside(request))) return;
      if (account.isDemo === isDemo && isCurrent(account, clock())) request.person = account.person;
      else endSession(request);
    });
  },
);

/** Nothing of the session before is kept, so that nobody can have prepared the one that counts. */
export function startSession(request: FastifyRequest, account: Account): void {
  request.session.regenerate();
  request.session.set('account', account);
  request.person = account.person;
  request.server.onSignIn();
}

/** From here on nobody is signed in, for the rest of this request too. */
export function endSession(request: FastifyRequest): void {
  request.session.regenerate();
  request.person = null;
}

/** The account behind `request.person`. */
export function accountOf(request: FastifyRequest): Account | undefined {
  return request.person ? request.session.get('account') : undefined;
}

/** The cookie is written anew whenever something in it changes, so its own age says nothing of the sign-in's. */
function isCurrent({ signedInAt }: Account, now: Instant): boolean {
  return now < signedInAt + SESSION_MS;
}

/** Somebody has to sign in first. A page leads there by itself; a form that was sent gets a page that says so. */
export class SignInRequired extends Error {
  constructor(options?: ErrorOptions) {
    super('sign-in required', options);
    this.name = 'SignInRequired';
  }
}

/** Who is signed in, for pages that are for nobody else: whoever is not is sent to sign in, and comes back. */
export function requirePerson(request: FastifyRequest): Person {
  if (!request.person) throw new SignInRequired();
  return request.person;
}

/**
 * A FAKE sign-in, for trying the example: visitors type the Discord id that they want to have.
 *
 * On a real site this is the most important part. Votary believes you: it counts a vote for the user id that you send.
 * Sign visitors in with Discord (OAuth2, scope `identify`), and use the id that Discord returns.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from './http.ts';

const COOKIE = 'listing_session';

export type SignIn = {
  /** The Discord id of the signed-in visitor. */
  userOf(request: IncomingMessage): string | null;
  start(response: ServerResponse, userId: string): void;
  end(response: ServerResponse): void;
};

export function createSignIn(): SignIn {
  // Sessions end when the site is restarted.
  const key = randomBytes(32);
  const sign = (userId: string) => createHmac('sha256', key).update(userId).digest('base64url');
  // On a real site, which has https, add `Secure`.
  const setCookie = (response: ServerResponse, value: string, maxAge: number) =>
    response.setHeader('set-cookie', `${COOKIE}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAge}`);
  return {
    userOf: ({ headers }) => {
      const [userId = '', signature = ''] = readCookie(headers.cookie ?? '').split('.');
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(userId))];
      return given.length === expected.length && timingSafeEqual(given, expected) ? userId : null;
    },
    start: (response, userId) => {
      if (!/^\d{15,20}$/.test(userId)) throw new HttpError(400, 'A Discord id has 15 to 20 digits.');
      setCookie(response, `${userId}.${sign(userId)}`, 24 * 60 * 60);
    },
    end: (response) => setCookie(response, '', 0),
  };
}

function readCookie(header: string): string {
  const found = header.split('; ').find((cookie) => cookie.startsWith(`${COOKIE}=`));
  return found?.slice(COOKIE.length + 1) ?? '';
}

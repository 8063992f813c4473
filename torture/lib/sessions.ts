/**
 * Sessions for as many users as a trial needs. They are created by the site's own session code with the site's
 * secret, so the server cannot distinguish them from its own.
 */
import fastify from 'fastify';
import type { Clock } from '../../src/domain/clock.ts';
import type { Secrets } from '../../src/domain/secrets.ts';
import { session, startSession } from '../../src/site/session.ts';

/** The cookies and token of a browser that has signed in and opened a page. */
export type Session = { userId: string; cookie: string; csrfToken: string };

export type SessionIssuer = {
  /** `token`: an own token of Discord for this user. Default: the one that all share. */
  issue(userId: string, token?: string): Promise<Session>;
  close(): Promise<void>;
};

/** What a real sign-in would have received from Discord. */
export const SESSION_TOKEN = 'a-token-of-discord';

/** `isDemo`: for a server that was started with `--demo`. */
export async function openSessionIssuer(
  secrets: Secrets,
  { isDemo = false, clock = Date.now }: { isDemo?: boolean; clock?: Clock } = {},
): Promise<SessionIssuer> {
  const app = fastify();
  // Nobody has signed out: these users are new.
  const users = { signOut: async () => {}, signedOutAt: async () => undefined };
  await app.register(session, { key: secrets.sessionKey, clock, isDemo, users });
  app.get<{ Params: { userId: string; token: string } }>('/:userId/:token', async (request, reply) => {
    const { userId, token: text } = request.params;
    const profile = { userId, name: 'A voter', avatar: null };
    const token = isDemo ? null : { text, expiresAt: clock() + 1e9, coversGuilds: true };
    await startSession(request, profile, { token });
    return reply.generateCsrf();
  });
  return {
    async issue(userId, token = SESSION_TOKEN) {
      const answer = await app.inject(`/${userId}/${token}`);
      const cookie = answer.cookies
        .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
        .join('; ');
      return { userId, cookie, csrfToken: answer.payload };
    },
    close: () => app.close(),
  };
}

/** A user id that was never used before, in this run or another. */
export function newUserId(): string {
  usersMade += 1;
  return String(FIRST_USER + BigInt(usersMade));
}

let usersMade = 0;
const FIRST_USER = 600_000_000_000_000_000n;

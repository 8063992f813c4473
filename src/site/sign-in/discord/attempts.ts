import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { type Instant, MINUTE_MS } from '../../../domain/clock.ts';
import { ownPath } from '../../paths.ts';
import type { Attempt } from './oauth.ts';

const SIGN_IN_PAGES = /^\/sign-(?:in|out)(?:[/?]|$)/;
/** What the session cookie has room for. A vote link with the longest external id in the widest letters needs 1400. */
export const MAX_PACKED_LENGTH = 1500;

/**
 * Where a sign-in leads afterwards: a page of ours. `undefined` when that would be a page of the sign-in itself,
 * which would go round in circles.
 */
export function backPath(text: string | undefined): string | undefined {
  const path = ownPath(text);
  return SIGN_IN_PAGES.test(path) ? undefined : path;
}

/** Small enough for a cookie, or `undefined` when nothing makes it so. Escapes (`%F0%9F…`) pack to a third. */
export function packPath(path: string): string | undefined {
  const packed = deflateRawSync(path).toString('base64url');
  return packed.length <= MAX_PACKED_LENGTH ? packed : undefined;
}

export function unpackPath(packed: string): string {
  return ownPath(inflateRawSync(Buffer.from(packed, 'base64url')).toString());
}

/**
 * Sign-ins under way in one browser. Two tabs may each begin one, and either may be finished: the answer says by its
 * state which one it is for, and each leads back to the page it began on.
 */

/** `back` is the page it began on, packed. */
type Begun = Attempt & { startedAt: Instant; coversGuilds: boolean; back?: string | undefined };

declare module '@fastify/secure-session' {
  interface SessionData {
    /** The newest first. */
    attempts: Begun[];
    /** Where a sign-in that failed would have led, for the next one. */
    back: string;
  }
}

const ATTEMPT_MS = 15 * MINUTE_MS;
const MAX_ATTEMPTS = 3;

/** Somebody who tries again from the page that says why the first time failed still goes where they meant to. */
export function keepAttempt({ session }: FastifyRequest, begun: Begun): void {
  const earlier = session.get('attempts') ?? [];
  const back = begun.back ?? session.get('back') ?? earlier[0]?.back;
  session.set('back', undefined);
  session.set('attempts', fitting([{ ...begun, back }, ...earlier.slice(0, MAX_ATTEMPTS - 1)]));
}

/** An attempt is good for one answer. What it was to lead to is kept in `back` until somebody is signed in. */
export function takeAttempt(
  { session }: FastifyRequest,
  state: string | null,
  now: Instant,
): Begun | undefined {
  const attempts = session.get('attempts') ?? [];
  const attempt = attempts.find((known) => known.state === state);
  if (!attempt) return undefined;
  session.set(
    'attempts',
    fitting(
      attempts.filter((known) => known !== attempt),
      attempt.back,
    ),
  );
  session.set('back', attempt.back);
  return now < attempt.startedAt + ATTEMPT_MS ? attempt : undefined;
}

/** The cookie has room for one long path: where there is none left, an older attempt leads to the front page. */
function fitting(attempts: readonly Begun[], kept = ''): Begun[] {
  let room = MAX_PACKED_LENGTH - kept.length;
  return attempts.map(({ back, ...attempt }) => {
    if (back === undefined || back.length > room) return attempt;
    room -= back.length;
    return { ...attempt, back };
  });
}

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { type Instant, MINUTE_MS } from '../../../domain/clock.ts';
import { ownPath } from '../../paths.ts';
import type { Attempt } from './oauth.ts';

const SIGN_IN_PAGES = /^\/sign-(?:in|out)(?:[/?]|$)/;
/** The limit of the session cookie. A vote link with the longest external id in the widest letters needs 1400. */
export const MAX_PACKED_LENGTH = 1500;

/** The local page to return to after sign-in. `undefined` for sign-in pages, which would cause a loop. */
export function backPath(text: string | undefined): string | undefined {
  const path = ownPath(text);
  return SIGN_IN_PAGES.test(path) ? undefined : path;
}

/** Compresses the path for the cookie; `undefined` if it is too long. Escapes (`%F0%9F…`) shrink to a third. */
export function packPath(path: string): string | undefined {
  const packed = deflateRawSync(path).toString('base64url');
  return packed.length <= MAX_PACKED_LENGTH ? packed : undefined;
}

export function unpackPath(packed: string): string {
  return ownPath(inflateRawSync(Buffer.from(packed, 'base64url')).toString());
}

/**
 * Sign-ins in progress in one browser. Several tabs can each start one, and any can be completed: the state in the
 * response identifies the attempt, and each returns to the page it started on.
 */

/** `back` is the page it started on, compressed. */
type Begun = Attempt & { startedAt: Instant; coversGuilds: boolean; back?: string | undefined };

declare module '@fastify/secure-session' {
  interface SessionData {
    /** Newest first. */
    attempts: Begun[];
    /** The target of a failed sign-in, for the next attempt. */
    back: string;
  }
}

const ATTEMPT_MS = 15 * MINUTE_MS;
const MAX_ATTEMPTS = 3;

/** A retry from the error page still leads to the original target. */
export function keepAttempt({ session }: FastifyRequest, begun: Begun): void {
  const earlier = session.get('attempts') ?? [];
  const back = begun.back ?? session.get('back') ?? earlier[0]?.back;
  session.set('back', undefined);
  session.set('attempts', fitting([{ ...begun, back }, ...earlier.slice(0, MAX_ATTEMPTS - 1)]));
}

/** An attempt can be used once. Its target stays in `back` until the sign-in succeeds. */
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

/** The cookie has room for one long path; older attempts lead to the home page instead. */
function fitting(attempts: readonly Begun[], kept = ''): Begun[] {
  let room = MAX_PACKED_LENGTH - kept.length;
  return attempts.map(({ back, ...attempt }) => {
    if (back === undefined || back.length > room) return attempt;
    room -= back.length;
    return { ...attempt, back };
  });
}

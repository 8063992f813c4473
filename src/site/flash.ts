import { hkdfSync } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { isRecord } from '../domain/record.ts';
import { seal, unseal } from '../domain/secrets.ts';
import { type PageFault, SEE_OTHER_STATUS } from './errors/page-error.ts';
import { isVisit } from './paths.ts';

/**
 * What a page shows once, after the form that led to it. The browser is redirected from the form to the page, and this
 * is passed on in an encrypted cookie, so that neither Back nor Reload sends the form again, with or without scripts
 * (docs/decisions/0033-post-redirect-get.md). Each page declares its own part.
 */
export interface Flash {
  /** The form was rejected: the error page is shown instead of the page itself. */
  refused?: {
    fault: PageFault;
    retryAfterSeconds: number | undefined;
    requestId: string;
    note?: string | undefined;
  };
}

declare module 'fastify' {
  interface FastifyInstance {
    flashes: { key: Buffer; clock: Clock };
  }
  interface FastifyRequest {
    /** What this page shows once; null unless a form led here. */
    flash: Flash | null;
  }
}

type SealedFlash = { path: string; until: Instant; flash: Flash };

/** The keys that flashes are sealed with, derived from those of sessions. */
export function flashKey(sessionKeys: readonly Buffer[]): Buffer {
  const keys = sessionKeys.map((key) => hkdfSync('sha256', key, '', 'votary/flash/v1', key.length));
  return Buffer.concat(keys.map((key) => Buffer.from(key)));
}

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
export function takeFlash(request: FastifyRequest, reply: FastifyReply): void {
  const cookie = request.cookies[FLASH_COOKIE];
  if (!cookie || !isVisit(request)) return;
  const { key, clock } = request.server.flashes;
  const text = unseal(cookie, flashContext(request), key);
  if (text === undefined) return;
  const sealed: unknown = JSON.parse(text);
  if (!isSealedFlash(sealed) || sealed.path !== request.url) return;
  reply.clearCookie(FLASH_COOKIE, FLASH_OPTIONS);
  if (clock() < sealed.until) request.flash = sealed.flash;
}

/** Only this service can seal one, so the parts of its pages are not checked again. */
function isSealedFlash(value: unknown): value is SealedFlash {
  if (!isRecord(value)) return false;
  return typeof value.path === 'string' && typeof value.until === 'number' && isRecord(value.flash);
}

/** Binds the flash to the user, so that nobody who signs in later in the same browser sees it. */
function flashContext({ person }: FastifyRequest): string {
  return `flash ${person?.userId ?? ''}`;
}

import type { FastifyRequest } from 'fastify';
import { originOf } from '../domain/host.ts';
import type { Locale } from '../domain/locale.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a page whose own URL contains a secret: what links use instead. */
    returnPath?: string;
  }

  interface FastifyInstance {
    /** The configured address. If it is null, links use the address that the browser used. */
    publicUrl: string | null;
  }
}

/** The URL of this site: as configured, otherwise as the browser reached it. */
export function siteAddress({ server, host }: FastifyRequest): string {
  return server.publicUrl ?? originOf(host);
}

/** The public page of a community. */
export function profilePath(guildId: string): string {
  return `/guild/${guildId}`;
}

/** `version`: `Guild.icon`. */
export function iconPath(guildId: string, version: string): string {
  return `${profilePath(guildId)}/icon/${version}`;
}

/** `version`: that of `Banner`. */
export function bannerPath(guildId: string, version: string): string {
  return `${profilePath(guildId)}/banner/${version}`;
}

export function cardPath(guildId: string, locale: Locale): string {
  return `${profilePath(guildId)}/card.png?locale=${locale}`;
}

export function badgePath(guildId: string, locale: Locale): string {
  return `${profilePath(guildId)}/badge.svg?locale=${locale}`;
}

/** The badge with the progress of the goal instead of the votes of the month. */
export function goalBadgePath(guildId: string, locale: Locale): string {
  return `${badgePath(guildId, locale)}&show=goal`;
}

const ORIGIN = 'https://votary.invalid';

/**
 * A local path to redirect to, or `/` if the text leads anywhere else: `//evil.example`, `/\evil.example` and full
 * URLs are parsed as a browser does.
 */
export function ownPath(text: string | undefined): string {
  if (!text?.startsWith('/') || !URL.canParse(text, ORIGIN)) return '/';
  const url = new URL(text, ORIGIN);
  // `/.//evil.example` has our origin, but browsers treat the resulting path as a host.
  const isOurs = url.origin === ORIGIN && !url.pathname.startsWith('//');
  return isOurs ? url.pathname + url.search : '/';
}

export function signInAddress(returnTo: string): string {
  return `/sign-in?back=${encodeURIComponent(returnTo)}`;
}

const SIGN_IN_PAGES = /^\/sign-(?:in|out)(?:[/?]|$)/;

/** The local page to return to after sign-in. `undefined` for sign-in pages, which would cause a loop. */
export function backPath(text: string | undefined): string | undefined {
  const path = ownPath(text);
  return SIGN_IN_PAGES.test(path) ? undefined : path;
}

const ADMIN_PAGES = /^\/(?:dashboard|operator)(?:[/?]|$)/;

/** Whether the path belongs to the dashboard or to the operator console. */
export function isAdminPath(path: string): boolean {
  return ADMIN_PAGES.test(path);
}

/** The current page: the URL of this request, or of the page whose form was sent. */
export function pathToReturnTo(request: FastifyRequest): string {
  if (isVisit(request)) return request.routeOptions.config.returnPath ?? request.url;
  const page = request.headers.referer;
  if (page === undefined || !URL.canParse(page)) return '/';
  const { pathname, search } = new URL(page);
  return ownPath(pathname + search);
}

/** Whether this is a page visit rather than a form. */
export function isVisit({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

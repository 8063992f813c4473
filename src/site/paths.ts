import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a page whose own address holds a secret: what links may carry in its place. */
    returnPath?: string;
  }
}

const ORIGIN = 'https://votary.invalid';

/**
 * A path of our own to send a browser back to, or `/` when the given text would lead anywhere else:
 * `//evil.example`, `/\evil.example` and full addresses are read the way a browser reads them.
 */
export function ownPath(text: string | undefined): string {
  if (!text?.startsWith('/') || !URL.canParse(text, ORIGIN)) return '/';
  const url = new URL(text, ORIGIN);
  // `/.//evil.example` has our origin, but a path that a browser reads as an address of its own.
  const isOurs = url.origin === ORIGIN && !url.pathname.startsWith('//');
  return isOurs ? url.pathname + url.search : '/';
}

/** The page somebody is on: the address of this request, or of the page whose form was sent. */
export function pathToReturnTo(request: FastifyRequest): string {
  if (isVisit(request)) return request.routeOptions.config.returnPath ?? request.url;
  const page = request.headers.referer;
  if (page === undefined || !URL.canParse(page)) return '/';
  const { pathname, search } = new URL(page);
  return ownPath(pathname + search);
}

/** Whether a page was asked for, and not a form sent. */
export function isVisit({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

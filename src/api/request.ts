import type { FastifyRequest } from 'fastify';
import { chooseLocale, type Locale } from '../domain/locale.ts';
import { firstText } from '../domain/text.ts';

/** The language of the response. */
export function requestLocale(request: FastifyRequest): Locale {
  return chooseLocale({
    parameter: firstText(request.query, 'locale'),
    xLocale: firstText(request.headers, 'x-locale'),
    acceptLanguage: request.headers['accept-language'],
  });
}

/**
 * Makes a path with a malformed percent escape (`/v7/guild/votes/users/%zz`) routable by taking its percent signs
 * literally, so it gets the response of its route instead of a router error.
 */
export function routableUrl(url: string): string {
  if (!url.includes('%')) return url;
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  if (isDecodable(path)) return url;
  return path.replaceAll('%', '%25') + url.slice(path.length);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

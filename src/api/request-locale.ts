import type { FastifyRequest } from 'fastify';
import { firstText } from '../domain/first-text.ts';
import { chooseLocale, type Locale } from '../domain/locale.ts';

/** The language of the answer to this request. */
export function requestLocale(request: FastifyRequest): Locale {
  return chooseLocale({
    parameter: firstText(request.query, 'locale'),
    xLocale: firstText(request.headers, 'x-locale'),
    acceptLanguage: request.headers['accept-language'],
  });
}

import type { FastifyRequest } from 'fastify';
import { chooseLocale, type Locale } from '../domain/locale.ts';
import { firstText } from '../domain/record.ts';

/** The language of the response. */
export function requestLocale(request: FastifyRequest): Locale {
  return chooseLocale({
    parameter: firstText(request.query, 'locale'),
    xLocale: firstText(request.headers, 'x-locale'),
    acceptLanguage: request.headers['accept-language'],
  });
}

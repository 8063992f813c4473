import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseLocale, type Locale } from '../../domain/locale.ts';
import { isVisit, pathToReturnTo, siteAddress } from '../paths.ts';
import { isDemoRequest } from '../session.ts';
import type { PageContext } from './page.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The user ids that may open the operator console. */
    operators: ReadonlySet<string>;
  }
}

/** Stores the language chosen on the page. */
export const LOCALE_COOKIE = 'votary_locale';

/** The language chosen on the page, otherwise that of the browser. */
export function siteLocale(request: FastifyRequest): Locale {
  return chooseLocale({
    // Null, despite its type, if the request failed before its cookies were read.
    parameter: request.cookies?.[LOCALE_COOKIE],
    acceptLanguage: request.headers['accept-language'],
  });
}

/** What the layout needs to know about the request. */
export function pageContext(
  request: FastifyRequest,
  reply: FastifyReply,
  options: { isDemo: boolean },
): PageContext {
  return {
    locale: siteLocale(request),
    person: request.person,
    path: pathToReturnTo(request),
    // The token is bound to the session; without one there are no forms that change anything.
    csrfToken: request.person ? reply.generateCsrf() : '',
    isFormResponse: !isVisit(request),
    isOperator: request.person !== null && request.server.operators.has(request.person.userId),
    isReadOnly: false,
    isDemo: isDemoRequest(request, options),
    brand: request.server.brand,
    origin: siteAddress(request),
  };
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}

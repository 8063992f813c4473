import type { FastifyInstance } from 'fastify';
import { DAY_MS, SECOND_MS } from '../domain/clock.ts';
import { firstText } from '../domain/first-text.ts';
import { LOCALES } from '../domain/locale.ts';
import { LOCALE_COOKIE } from './context.ts';
import { ownPath } from './own-path.ts';
import { SEE_OTHER_STATUS } from './page-error.ts';

const REMEMBERED_SECONDS = (365 * DAY_MS) / SECOND_MS;

/** `/locale?to=fr&back=/dashboard`: a plain link, so that the switch works without JavaScript. */
export function localeRoute(app: FastifyInstance): void {
  app.get('/locale', (request, reply) => {
    const wanted = firstText(request.query, 'to');
    const locale = LOCALES.find((known) => known === wanted);
    if (locale) {
      reply.setCookie(LOCALE_COOKIE, locale, {
        path: '/',
        maxAge: REMEMBERED_SECONDS,
        httpOnly: true,
        secure: true,
        sameSite: 'lax',
      });
    }
    return reply.redirect(ownPath(firstText(request.query, 'back')), SEE_OTHER_STATUS);
  });
}

import type { FastifyInstance } from 'fastify';
import { isVisit } from '../paths.ts';
import { requirePerson } from '../session.ts';

/**
 * Every form of the dashboard requires a signed-in person and the token of its page. The person is checked first:
 * without a session there is no token, and the page must say that the session has ended.
 */
export function protectForms(app: FastifyInstance): void {
  // Before the body is parsed.
  app.addHook('onRequest', async (request) => {
    if (!isVisit(request)) requirePerson(request);
  });
  app.addHook('preHandler', (request, reply, done) => {
    if (isVisit(request)) done();
    else app.csrfProtection(request, reply, done);
  });
}

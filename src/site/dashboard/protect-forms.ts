import type { FastifyInstance } from 'fastify';
import { isVisit } from '../own-path.ts';
import { requirePerson } from '../sign-in/require-person.ts';

/**
 * Every form of the dashboard needs a person, and the token of its page. The person comes first: whoever is signed
 * out has no token either, and must be told what to do about it.
 */
export function protectForms(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (isVisit(request)) return done();
    requirePerson(request);
    app.csrfProtection(request, reply, done);
  });
}

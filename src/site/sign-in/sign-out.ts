import type { FastifyInstance } from 'fastify';
import { SEE_OTHER_STATUS } from '../page-error.ts';

/** `POST /sign-out`. Whoever is signed out already, by a second click or in another tab, has what they wanted. */
export function signOutRoute(app: FastifyInstance): void {
  app.post(
    '/sign-out',
    {
      preHandler: (request, reply, done) =>
        request.person ? app.csrfProtection(request, reply, done) : done(),
    },
    (request, reply) => {
      request.session.delete();
      return reply.redirect('/', SEE_OTHER_STATUS);
    },
  );
}

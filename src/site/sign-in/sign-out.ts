import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SEE_OTHER_STATUS } from '../errors/page-error.ts';
import type { SignIn } from './sign-in.ts';

/** `POST /sign-out`. Signing out twice, by a double click or in another tab, is not an error. */
export function signOutRoute(app: FastifyInstance, signIn: SignIn): void {
  const protection = { onRequest: leaveStrangers, preHandler: app.csrfProtection };
  app.post('/sign-out', protection, (request, reply) => {
    signIn.signOut?.(request);
    request.session.delete();
    return leave(reply);
  });
}

/**
 * Changes no cookie: a form sent by another site arrives without the session cookie, and deleting it in the response
 * would sign its visitor out.
 */
async function leaveStrangers(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.person) await leave(reply);
}

function leave(reply: FastifyReply): FastifyReply {
  return reply.redirect('/', SEE_OTHER_STATUS);
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PageError } from '../errors/page-error.ts';
import { isVisit } from '../paths.ts';
import { requirePerson } from '../session.ts';
import { type DashboardDeps, findListedGuild, requireAdminGuild } from './access.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route changes something, or asks before a change. Default: every route that is not a visit does. */
    changes?: boolean;
  }
}

/**
 * Every form of the dashboard needs a person, and the token of its page. The person comes first: whoever is signed
 * out has no token either, and must be told what to do about it.
 */
export function protectForms(app: FastifyInstance, deps: DashboardDeps): void {
  // Before the body is read: a stranger's is not worth parsing.
  app.addHook('onRequest', async (request) => {
    if (!isVisit(request)) requirePerson(request);
  });
  app.addHook('preHandler', (request, reply, done) => {
    if (isVisit(request)) done();
    else app.csrfProtection(request, reply, done);
  });
  app.addHook('preHandler', async (request) => {
    if (isChange(request)) await refuseWhileSanctioned(request, deps);
  });
}

function isChange(request: FastifyRequest): boolean {
  return request.routeOptions.config.changes ?? !isVisit(request);
}

/** A sanctioned community can be looked at, but not changed. Only its admins are told that it is sanctioned. */
async function refuseWhileSanctioned(request: FastifyRequest, deps: DashboardDeps): Promise<void> {
  const guild = await findListedGuild(request, deps);
  if (!guild?.sanction) return;
  await requireAdminGuild(request, deps);
  throw new PageError('SANCTIONED');
}

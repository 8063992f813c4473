/**
 * The operator console at `/operator`, for the people in VOTARY_OPERATORS. Everything is registered in one scope that
 * authorizes (access.ts), so no route can forget to.
 */
import type { FastifyInstance } from 'fastify';
import { protectForms } from '../dashboard/access.ts';
import { authorizeOperators, type OperatorDeps } from './access.ts';
import { banRoutes } from './bans.ts';
import { communityRoutes } from './communities.ts';
import { logRoute } from './log.ts';
import { overviewRoute } from './overview.ts';
import { unusualRoute } from './unusual.ts';
import { voidRoutes } from './voiding.ts';

export async function operatorConsole(app: FastifyInstance, deps: OperatorDeps): Promise<void> {
  protectForms(app);
  app.register(
    async (pages) => {
      authorizeOperators(pages, deps);
      overviewRoute(pages, deps);
      communityRoutes(pages, deps);
      unusualRoute(pages, deps);
      voidRoutes(pages, deps);
      banRoutes(pages, deps);
      logRoute(pages, deps);
    },
    { prefix: '/operator' },
  );
}

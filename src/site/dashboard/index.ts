/**
 * The dashboard: where the admins of a community find their key, their votes and what was done with both.
 * Every page and every action asks again whether this person is an admin (access.ts).
 */
import type { FastifyInstance } from 'fastify';
import type { DashboardDeps } from './access.ts';
import { activityRoute } from './activity.ts';
import { chartLibraryRoutes } from './chart-library.ts';
import { communitiesRoutes } from './communities.ts';
import { keyRoutes } from './key/routes.ts';
import { overviewRoute } from './overview/routes.ts';
import { protectForms } from './protect-forms.ts';
import { settingsRoutes } from './settings.ts';
import { csvRoute, votesRoute } from './votes/routes.ts';
import { webhooksRoutes } from './webhooks/routes.ts';

export async function dashboard(app: FastifyInstance, deps: DashboardDeps): Promise<void> {
  protectForms(app, deps);
  chartLibraryRoutes(app);
  communitiesRoutes(app, deps);
  overviewRoute(app, deps);
  keyRoutes(app, deps);
  votesRoute(app, deps);
  csvRoute(app, deps);
  webhooksRoutes(app, deps);
  settingsRoutes(app, deps);
  activityRoute(app, deps);
}

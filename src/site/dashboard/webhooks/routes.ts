import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { changeRoutes } from './change-routes.ts';
import { editRoutes } from './edit-routes.ts';
import { replayRoute } from './replay-route.ts';
import { sendWebhooksTab } from './send-webhooks-tab.ts';
import { showRoutes } from './show-routes.ts';

export function webhooksRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  app.get('/dashboard/:guild_id/webhooks', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    return sendWebhooksTab(request, reply, deps, guild);
  });
  changeRoutes(app, deps);
  editRoutes(app, deps);
  showRoutes(app, deps);
  replayRoute(app, deps);
}

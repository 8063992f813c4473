import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendVotesTab } from './send-votes-tab.ts';

export function votesRoute(app: FastifyInstance, deps: DashboardDeps): void {
  app.get('/dashboard/:guild_id/votes', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    return sendVotesTab(request, reply, deps, guild);
  });
}

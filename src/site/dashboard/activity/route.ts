import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { activityView } from './view.ts';

const SHOWN = 100;

export function activityRoute(app: FastifyInstance, deps: DashboardDeps): void {
  app.get('/dashboard/:guild_id/activity', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const activities = await deps.store.activities.recent(guild.guildId, SHOWN);
    return sendTab(request, reply, deps, {
      guild,
      tab: 'activity',
      view: ({ locale }) => activityView(locale, activities, SHOWN),
    });
  });
}

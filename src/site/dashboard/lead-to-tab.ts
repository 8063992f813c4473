import type { FastifyInstance } from 'fastify';
import { SEE_OTHER_STATUS } from '../page-error.ts';
import { requireAdmin } from './access.ts';
import type { DashboardDeps } from './deps.ts';
import { tabAddress } from './frame.ts';
import type { Tab } from './messages.ts';

/** For a form that is answered with a page: its address stays in the browser, to be bookmarked or opened again. */
export function leadToTab(app: FastifyInstance, deps: DashboardDeps, path: string, tab: Tab): void {
  app.get(path, async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    return reply.redirect(tabAddress(guild.guildId, tab), SEE_OTHER_STATUS);
  });
}

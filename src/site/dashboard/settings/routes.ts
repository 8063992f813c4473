import type { FastifyInstance } from 'fastify';
import { DOUBLING_RULES } from '../../../domain/doubling.ts';
import { firstText } from '../../../domain/first-text.ts';
import { PageError, SEE_OTHER_STATUS } from '../../page-error.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab, tabAddress } from '../frame.ts';
import { settingsView } from './view.ts';

export function settingsRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;

  app.get('/dashboard/:guild_id/settings', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const view = (context: Parameters<typeof settingsView>[0]) => settingsView(context, guild, clock());
    return sendTab(request, reply, deps, { guild, tab: 'settings', view });
  });

  app.post('/dashboard/:guild_id/settings', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const { guildId } = guild;
    const wanted = firstText(request.body, 'doubling');
    const doubling = DOUBLING_RULES.find((rule) => rule === wanted);
    if (!doubling) throw new PageError('BAD_FORM');
    if (doubling !== guild.doubling) {
      await store.guilds.setDoubling(guildId, doubling);
      const detail = { doubling: { from: guild.doubling, to: doubling } };
      await store.activities.record({
        guildId,
        at: clock(),
        actor: person,
        action: 'doubling_changed',
        detail,
      });
    }
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=saved`, SEE_OTHER_STATUS);
  });
}

import type { FastifyInstance } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import { SUBSCRIBABLE_EVENTS } from '../../../domain/webhook-event.ts';
import { PAGE_STATUS, PageError } from '../../page-error.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { confirmView } from './confirm-view.ts';
import { secretVersion } from './endpoint-card.ts';
import { endpointIdOf, findEndpoint, leave } from './endpoint-request.ts';
import { sendWebhooksTab } from './send-webhooks-tab.ts';

/** Adding, rotating, removing and enabling. What cannot be taken back is asked for first. */
export function changeRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { clock, webhooks } = deps;

  app.post('/dashboard/:guild_id/webhooks', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const url = firstText(request.body, 'url') ?? '';
    const events = SUBSCRIBABLE_EVENTS.filter((event) => firstText(request.body, event) !== undefined);
    const added = await webhooks.addEndpoint(guild.guildId, { url, events }, person);
    if (added.ok) return leave(reply, guild.guildId, 'webhook-added');
    if (added.fault === 'unknown-guild') throw new PageError('GUILD_NOT_FOUND');
    reply.code(PAGE_STATUS.BAD_FORM);
    return sendWebhooksTab(request, reply, deps, guild, { add: { url, events, fault: added.fault } });
  });

  for (const action of ['rotate', 'remove'] as const) {
    const path = `/dashboard/:guild_id/webhooks/:endpoint_id/${action}`;
    app.get(path, { config: { changes: true } }, async (request, reply) => {
      const { guild } = await requireAdmin(request, deps);
      const endpoint = await findEndpoint(request, deps, guild.guildId);
      if (!endpoint) return leave(reply, guild.guildId, 'webhook-missing');
      const view = confirmView(endpoint, action, clock());
      return sendTab(request, reply, deps, { guild, tab: 'webhooks', view });
    });
  }

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/rotate', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const { guildId } = guild;
    const endpoint = await findEndpoint(request, deps, guildId);
    if (!endpoint) return leave(reply, guildId, 'webhook-missing');
    if (firstText(request.body, 'replaces') !== secretVersion(endpoint))
      return leave(reply, guildId, 'webhook-kept');
    const secret = await webhooks.rotateSecret(guildId, endpoint.endpointId, person);
    return leave(reply, guildId, secret === undefined ? 'webhook-missing' : 'webhook-rotated');
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/remove', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const isRemoved = await webhooks.removeEndpoint(guild.guildId, endpointIdOf(request), person);
    return leave(reply, guild.guildId, isRemoved ? 'webhook-removed' : 'webhook-missing');
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/enable', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const isEnabled = await webhooks.enableEndpoint(guild.guildId, endpointIdOf(request), person);
    return leave(reply, guild.guildId, isEnabled ? 'webhook-enabled' : 'webhook-missing');
  });
}

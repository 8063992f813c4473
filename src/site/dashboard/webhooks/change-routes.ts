import type { FastifyInstance } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import { PAGE_STATUS, PageError } from '../../page-error.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { countAction } from '../limits.ts';
import { confirmView } from './confirm-view.ts';
import { secretVersion } from './endpoint-card.ts';
import { endpointIdOf, findEndpoint, leave } from './endpoint-request.ts';
import { sendWebhooksTab } from './send-webhooks-tab.ts';
import { readSettings } from './settings-form.ts';

/** Adding, rotating, removing and enabling; what cannot be taken back is asked for first. Editing, pausing, resuming. */
export function changeRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { clock, webhooks } = deps;

  app.post('/dashboard/:guild_id/webhooks', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    await countAction(deps, guild.guildId, 'TOO_MANY_ENDPOINTS');
    const wish = readSettings(request.body);
    const added = await webhooks.addEndpoint(guild.guildId, wish, person);
    if (added.ok) return leave(reply, guild.guildId, 'webhook-added');
    if (added.fault === 'unknown-guild') throw new PageError('GUILD_NOT_FOUND');
    reply.code(PAGE_STATUS.BAD_FORM);
    return sendWebhooksTab(request, reply, deps, guild, { add: { ...wish, fault: added.fault } });
  });

  for (const action of ['rotate', 'remove'] as const) {
    const path = `/dashboard/:guild_id/webhooks/:endpoint_id/${action}`;
    app.get(path, { config: { changes: true } }, async (request, reply) => {
      const { guild } = await requireAdmin(request, deps);
      const endpoint = await findEndpoint(request, deps, guild.guildId);
      if (!endpoint) return leave(reply, guild.guildId, 'webhook-missing');
      const view = confirmView(endpoint, action, clock());
      const styles = ['dashboard-webhooks.css'];
      return sendTab(request, reply, deps, { guild, tab: 'webhooks', view, styles });
    });
  }

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/rotate', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const { guildId } = guild;
    const endpoint = await findEndpoint(request, deps, guildId);
    if (!endpoint) return leave(reply, guildId, 'webhook-missing');
    if (firstText(request.body, 'replaces') !== secretVersion(endpoint))
      return leave(reply, guildId, 'webhook-kept');
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const now = firstText(request.body, 'when') === 'now';
    const choice = { now, replaces: endpoint.secrets.current };
    const secret = await webhooks.rotateSecret(guildId, endpoint.endpointId, person, choice);
    if (secret === undefined) return leave(reply, guildId, 'webhook-kept');
    return leave(reply, guildId, now ? 'webhook-replaced' : 'webhook-rotated');
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/remove', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const isRemoved = await webhooks.removeEndpoint(guild.guildId, endpointIdOf(request), person);
    return leave(reply, guild.guildId, isRemoved ? 'webhook-removed' : 'webhook-missing');
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/enable', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    await countAction(deps, guild.guildId, 'TOO_MANY_CHANGES');
    const isEnabled = await webhooks.enableEndpoint(guild.guildId, endpointIdOf(request), person);
    return leave(reply, guild.guildId, isEnabled ? 'webhook-enabled' : 'webhook-missing');
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/pause', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const endpointId = endpointIdOf(request);
    await countAction(deps, guild.guildId, 'TOO_MANY_CHANGES');
    const isPaused = await webhooks.pauseEndpoint(guild.guildId, endpointId, person);
    if (!isPaused) return leave(reply, guild.guildId, 'webhook-missing');
    return leave(reply, guild.guildId, 'webhook-paused', endpointId);
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/resume', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const endpointId = endpointIdOf(request);
    await countAction(deps, guild.guildId, 'TOO_MANY_CHANGES');
    const isResumed = await webhooks.resumeEndpoint(guild.guildId, endpointId, person);
    if (!isResumed) return leave(reply, guild.guildId, 'webhook-missing');
    return leave(reply, guild.guildId, 'webhook-resumed', endpointId);
  });
}

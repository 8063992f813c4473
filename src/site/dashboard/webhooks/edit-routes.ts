import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guild } from '../../../domain/guild.ts';
import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { PAGE_STATUS } from '../../errors/page-error.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { sendTab } from '../frame.ts';
import { countAction } from '../limits.ts';
import { editView, formOf, readSettings, type SettingsForm } from './settings-form.ts';
import { findEndpoint, leave } from './tab.ts';

const PATH = '/webhooks/:endpoint_id/edit';

export function editRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  app.get(PATH, { config: { changes: true } }, async (request, reply) => {
    const { guild } = adminOf(request);
    const endpoint = await findEndpoint(request, deps, guild.guildId);
    if (!endpoint) return leave(reply, guild.guildId, 'webhook-missing');
    return sendForm(request, reply, deps, guild, endpoint, formOf(endpoint));
  });

  app.post(PATH, async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const endpoint = await findEndpoint(request, deps, guildId);
    if (!endpoint) return leave(reply, guildId, 'webhook-missing');
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const input = readSettings(request.body, endpoint.destination.kind);
    const edited = await deps.webhooks.editEndpoint(guildId, endpoint.endpointId, input, person);
    if (edited.ok) return leave(reply, guildId, 'webhook-edited', endpoint.endpointId);
    if (edited.fault === 'unknown-endpoint') return leave(reply, guildId, 'webhook-missing');
    reply.code(PAGE_STATUS.BAD_FORM);
    return sendForm(request, reply, deps, guild, endpoint, { ...input, fault: edited.fault });
  });
}

function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  guild: Guild,
  endpoint: WebhookEndpoint,
  form: SettingsForm,
): Promise<FastifyReply> {
  return sendTab(request, reply, deps, {
    guild,
    tab: 'webhooks',
    view: (context) => editView(context, endpoint, form),
    styles: ['dashboard/webhooks.css'],
  });
}

import type { FastifyInstance } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import { TEST_TYPES } from '../../../domain/webhook-event.ts';
import { labelOf, type TestRefusal } from '../../../store/webhook-admin.ts';
import { PageError, SEE_OTHER_STATUS } from '../../page-error.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { leadToTab } from '../lead-to-tab.ts';
import { countAction } from '../limits.ts';
import type { Notice } from '../notices.ts';
import { tabAddress } from './addresses.ts';
import { endpointIdOf, findEndpoint, leave } from './endpoint-request.ts';
import { sendWebhooksTab } from './send-webhooks-tab.ts';

const REFUSED_TEST: Record<TestRefusal, Notice> = {
  'unknown-endpoint': 'webhook-missing',
  'under-way': 'webhook-test-under-way',
  busy: 'webhook-test-busy',
  sanctioned: 'webhook-sanctioned',
};

/** A secret is only ever in the answer to a POST, which nothing keeps. The result of a test is read from the log. */
export function showRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, webhooks } = deps;

  for (const action of ['reveal', 'test'])
    leadToTab(app, deps, `/dashboard/:guild_id/webhooks/:endpoint_id/${action}`, 'webhooks');

  const reveal = '/dashboard/:guild_id/webhooks/:endpoint_id/reveal';
  app.post(reveal, { config: { changes: false } }, async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const { guildId } = guild;
    const endpoint = await findEndpoint(request, deps, guildId);
    if (!endpoint) return leave(reply, guildId, 'webhook-missing');
    const { endpointId } = endpoint;
    await countAction(deps, guildId, 'TOO_MANY_REVEALS');
    const revealed = await webhooks.revealSecret(guildId, endpointId);
    if (!revealed.shown) return sendWebhooksTab(request, reply, deps, guild);
    // Recorded before it is shown: a secret that was seen is always in the log.
    const entry = { guildId, at: clock(), actor: person, detail: { endpoint: labelOf(endpoint) } };
    await store.activities.record({ ...entry, action: 'webhook_secret_shown' });
    return sendWebhooksTab(request, reply, deps, guild, {
      disclosed: { endpointId, secret: revealed.secret },
    });
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/test', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const endpointId = endpointIdOf(request);
    const wanted = firstText(request.body, 'type') ?? 'webhook_test';
    const type = TEST_TYPES.find((known) => known === wanted);
    if (!type) throw new PageError('BAD_FORM');
    await countAction(deps, guild.guildId, 'TOO_MANY_TESTS');
    const test = await webhooks.sendTest(guild.guildId, endpointId, type);
    if (!test.sent) return leave(reply, guild.guildId, REFUSED_TEST[test.reason]);
    const address = `${tabAddress(guild.guildId)}?tested=${test.result.eventId}#${endpointId}`;
    return reply.redirect(address, SEE_OTHER_STATUS);
  });
}

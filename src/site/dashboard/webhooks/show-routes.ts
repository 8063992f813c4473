import type { FastifyInstance } from 'fastify';
import type { TestRefusal } from '../../../store/webhook-admin.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { leadToTab } from '../lead-to-tab.ts';
import type { Notice } from '../notices.ts';
import { endpointIdOf, leave } from './endpoint-request.ts';
import { sendWebhooksTab } from './send-webhooks-tab.ts';

const REFUSED_TEST: Record<TestRefusal, Notice> = {
  'unknown-endpoint': 'webhook-missing',
  'under-way': 'webhook-test-under-way',
  busy: 'webhook-test-busy',
  sanctioned: 'webhook-sanctioned',
};

/** What is shown once, in the answer to a POST, which nothing keeps: a secret, and what became of a test. */
export function showRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, webhooks } = deps;

  for (const action of ['reveal', 'test'])
    leadToTab(app, deps, `/dashboard/:guild_id/webhooks/:endpoint_id/${action}`, 'webhooks');

  const reveal = '/dashboard/:guild_id/webhooks/:endpoint_id/reveal';
  app.post(reveal, { config: { changes: false } }, async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const { guildId } = guild;
    const endpointId = endpointIdOf(request);
    const revealed = await webhooks.revealSecret(guildId, endpointId);
    if (!revealed.shown && revealed.reason === 'unknown-endpoint')
      return leave(reply, guildId, 'webhook-missing');
    if (!revealed.shown) return sendWebhooksTab(request, reply, deps, guild);
    // Recorded before it is shown: a secret that was seen is always in the log.
    await store.activities.record({ guildId, at: clock(), actor: person, action: 'webhook_secret_shown' });
    return sendWebhooksTab(request, reply, deps, guild, {
      disclosed: { endpointId, secret: revealed.secret },
    });
  });

  app.post('/dashboard/:guild_id/webhooks/:endpoint_id/test', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const endpointId = endpointIdOf(request);
    const test = await webhooks.sendTest(guild.guildId, endpointId);
    if (!test.sent) return leave(reply, guild.guildId, REFUSED_TEST[test.reason]);
    return sendWebhooksTab(request, reply, deps, guild, { disclosed: { endpointId, test: test.result } });
  });
}

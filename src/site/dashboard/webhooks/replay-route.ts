import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/clock.ts';
import { firstText } from '../../../domain/first-text.ts';
import { parseIsoDate } from '../../../domain/iso-date.ts';
import type { ReplayChoice } from '../../../store/webhook-admin.ts';
import { PAGE_STATUS, PageError, SEE_OTHER_STATUS } from '../../page-error.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { leadToTab } from '../lead-to-tab.ts';
import { countAction } from '../limits.ts';
import { tabAddress } from './addresses.ts';
import { readEndpointId } from './endpoint-request.ts';
import { sendWebhooksTab } from './send-webhooks-tab.ts';

/** One event, as a row of the log has it, or all since a moment; to one endpoint or, left empty, to all. */
export function replayRoute(app: FastifyInstance, deps: DashboardDeps): void {
  leadToTab(app, deps, '/dashboard/:guild_id/webhooks/replay', 'webhooks');
  app.post('/dashboard/:guild_id/webhooks/replay', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const which = readChoice(request.body);
    const given = firstText(request.body, 'endpoint') ?? '';
    if (!which) {
      reply.code(PAGE_STATUS.BAD_FORM);
      const since = firstText(request.body, 'since') ?? '';
      return sendWebhooksTab(request, reply, deps, guild, {
        replay: { since, endpointId: given, isWrong: true },
      });
    }
    const endpointId = readEndpointId(given);
    // An id that is none must not come to mean all endpoints.
    if (given !== '' && endpointId === undefined) throw new PageError('BAD_FORM');
    await countAction(deps, guild.guildId, 'eventId' in which ? 'TOO_MANY_RESENDS' : 'TOO_MANY_REPLAYS');
    const { queued, nextSince } = await deps.webhooks.replay(guild.guildId, which, endpointId);
    const rest = nextSince === null ? '' : `&rest=${formatInstant(nextSince)}`;
    return reply.redirect(`${tabAddress(guild.guildId)}?replayed=${queued}${rest}`, SEE_OTHER_STATUS);
  });
}

const EVENT_ID = /^evt_[0-9a-f]{32}$/;

function readChoice(body: unknown): ReplayChoice | undefined {
  const eventId = firstText(body, 'event');
  if (eventId !== undefined) return EVENT_ID.test(eventId) ? { eventId } : undefined;
  const since = parseIsoDate(firstText(body, 'since') ?? '');
  return since === undefined ? undefined : { since };
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import { formatInstant } from '../../../domain/clock.ts';
import { firstText } from '../../../domain/record.ts';
import { parseIsoDate } from '../../../domain/votes/period.ts';
import { hasOwnSecret } from '../../../domain/webhooks/destination.ts';
import { TEST_TYPES } from '../../../domain/webhooks/event.ts';
import { labelOf, type ReplayChoice, type TestRefusal } from '../../../store/webhooks/admin.ts';
import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { PAGE_STATUS, PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { redirectWithFlash } from '../../flash.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import type { Notice } from '../frame.ts';
import { redirectToTab, sendTab, tabAddress } from '../frame.ts';
import { confirmView, endpointAddress, secretVersion } from './endpoint-view.ts';
import { formOf, readSettings } from './settings-form.ts';
import {
  endpointIdOf,
  findEndpoint,
  readEndpointId,
  readTabState,
  redirectWithNotice,
  refuseWith,
  sendEditForm,
  sendWebhooksTab,
} from './tab.ts';

export function webhooksRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  app.get('/webhooks', async (request, reply) => {
    const { guild } = adminOf(request);
    return sendWebhooksTab(request, reply, deps, guild, await readTabState(request, deps, guild.guildId));
  });
  changeRoutes(app, deps);
  editRoutes(app, deps);
  showRoutes(app, deps);
  replayRoute(app, deps);
}

/** Adding, pausing, rotating, enabling and removing endpoints; irreversible actions ask for confirmation. */
function changeRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { clock, webhooks } = deps;
  const refuse = refuseWith(deps);

  app.post('/webhooks', async (request, reply) => {
    const { guild, person } = adminOf(request);
    await countAction(deps, guild.guildId, 'TOO_MANY_ENDPOINTS');
    const input = readSettings(request.body);
    const added = await webhooks.addEndpoint(guild.guildId, input, person);
    if (added.ok) {
      const notice = added.secret === null ? 'destination-added' : 'webhook-added';
      return redirectWithNotice(reply, guild.guildId, notice);
    }
    if (added.fault === 'unknown-guild') throw new PageError('GUILD_NOT_FOUND');
    // The URL of a Discord channel was entered as a webhook: show it in the form for channels, ready to be added.
    const kind = added.fault === 'discord-url' ? 'discord' : input.kind;
    return refuse(request, reply, 'form-error', {
      add: { ...input, token: '', secret: '', kind, fault: added.fault },
    });
  });

  for (const action of ['rotate', 'remove'] as const) {
    const path = `/webhooks/:endpoint_id/${action}`;
    app.get(path, { config: { changes: true } }, async (request, reply) => {
      const { guild } = adminOf(request);
      const endpoint = await findEndpoint(request, deps, guild.guildId);
      if (!endpoint) return redirectWithNotice(reply, guild.guildId, 'webhook-missing');
      if (action === 'rotate' && !isSigned(endpoint)) return redirectToEdit(reply, endpoint);
      const view = confirmView(endpoint, action, clock());
      const styles = ['dashboard/webhooks.css'];
      return sendTab(request, reply, deps, { guild, tab: 'webhooks', view, styles });
    });
  }

  app.post('/webhooks/:endpoint_id/rotate', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const endpoint = await findEndpoint(request, deps, guildId);
    if (!endpoint) return redirectWithNotice(reply, guildId, 'webhook-missing');
    if (!isSigned(endpoint)) return redirectToEdit(reply, endpoint);
    if (firstText(request.body, 'replaces') !== secretVersion(endpoint))
      return redirectWithNotice(reply, guildId, 'webhook-kept');
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const now = firstText(request.body, 'when') === 'now';
    const choice = { now, replaces: endpoint.secrets.current };
    const secret = await webhooks.rotateSecret(guildId, endpoint.endpointId, person, choice);
    if (secret === undefined) return redirectWithNotice(reply, guildId, 'webhook-kept');
    return redirectWithNotice(reply, guildId, now ? 'webhook-replaced' : 'webhook-rotated');
  });

  app.post('/webhooks/:endpoint_id/remove', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const isRemoved = await webhooks.removeEndpoint(guild.guildId, endpointIdOf(request), person);
    return redirectWithNotice(reply, guild.guildId, isRemoved ? 'webhook-removed' : 'webhook-missing');
  });

  app.post('/webhooks/:endpoint_id/enable', async (request, reply) => {
    const { guild, person } = adminOf(request);
    await countAction(deps, guild.guildId, 'TOO_MANY_CHANGES');
    const isEnabled = await webhooks.enableEndpoint(guild.guildId, endpointIdOf(request), person);
    return redirectWithNotice(reply, guild.guildId, isEnabled ? 'webhook-enabled' : 'webhook-missing');
  });

  for (const action of ['pause', 'resume'] as const) {
    app.post(`/webhooks/:endpoint_id/${action}`, async (request, reply) => {
      const { guild, person } = adminOf(request);
      const endpointId = endpointIdOf(request);
      await countAction(deps, guild.guildId, 'TOO_MANY_CHANGES');
      const isKnown = await webhooks[`${action}Endpoint`](guild.guildId, endpointId, person);
      if (!isKnown) return redirectWithNotice(reply, guild.guildId, 'webhook-missing');
      return redirectWithNotice(reply, guild.guildId, `webhook-${action}d`, endpointId);
    });
  }
}

function isSigned({ destination }: WebhookEndpoint): boolean {
  return hasOwnSecret(destination);
}

/** The token of a channel or server is not generated here: its admin enters it. */
function redirectToEdit(reply: FastifyReply, endpoint: WebhookEndpoint): FastifyReply {
  return reply.redirect(endpointAddress(endpoint, 'edit'), SEE_OTHER_STATUS);
}

const REFUSED_TEST: Record<TestRefusal, Notice> = {
  'unknown-endpoint': 'webhook-missing',
  'under-way': 'webhook-test-under-way',
  busy: 'webhook-test-busy',
  sanctioned: 'webhook-sanctioned',
};

/**
 * Only the page after "Reveal" contains a secret, and it is not cached. The result of a test is read from the log.
 */
function showRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, webhooks } = deps;

  for (const action of ['reveal', 'test']) redirectToTab(app, `/webhooks/:endpoint_id/${action}`, 'webhooks');

  const reveal = '/webhooks/:endpoint_id/reveal';
  app.post(reveal, { config: { changes: false } }, async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const endpoint = await findEndpoint(request, deps, guildId);
    if (!endpoint) return redirectWithNotice(reply, guildId, 'webhook-missing');
    const { endpointId } = endpoint;
    await countAction(deps, guildId, 'TOO_MANY_REVEALS');
    const revealed = await webhooks.revealSecret(guildId, endpointId);
    const address = `${tabAddress(guildId, 'webhooks')}#${endpointId}`;
    if (!revealed.shown)
      return redirectWithFlash(request, reply, address, {}) ?? sendWebhooksTab(request, reply, deps, guild);
    // Recorded first, so every revealed secret is in the log.
    const entry = { guildId, at: clock(), actor: person, detail: { endpoint: labelOf(endpoint) } };
    await store.activities.record({ ...entry, action: 'webhook_secret_shown' });
    const disclosed = { endpointId, secret: revealed.secret };
    return (
      redirectWithFlash(request, reply, address, { webhooks: { shown: endpointId } }) ??
      sendWebhooksTab(request, reply, deps, guild, { disclosed })
    );
  });

  app.post('/webhooks/:endpoint_id/test', async (request, reply) => {
    const { guild } = adminOf(request);
    const endpointId = endpointIdOf(request);
    const wanted = firstText(request.body, 'type');
    const type = TEST_TYPES.find((known) => known === wanted);
    if (wanted !== undefined && !type) throw new PageError('BAD_FORM');
    await countAction(deps, guild.guildId, 'TOO_MANY_TESTS');
    const test = await webhooks.sendTest(guild.guildId, endpointId, type);
    if (!test.sent) return redirectWithNotice(reply, guild.guildId, REFUSED_TEST[test.reason]);
    const address = `${tabAddress(guild.guildId, 'webhooks')}?tested=${test.result.eventId}#${endpointId}`;
    return reply.redirect(address, SEE_OTHER_STATUS);
  });
}

/** Resends one event of the log, or all since a given time; to one endpoint or, if empty, to all. */
function replayRoute(app: FastifyInstance, deps: DashboardDeps): void {
  const refuse = refuseWith(deps);
  redirectToTab(app, '/webhooks/replay', 'webhooks');
  app.post('/webhooks/replay', async (request, reply) => {
    const { guild } = adminOf(request);
    const which = readChoice(request.body);
    const given = firstText(request.body, 'endpoint') ?? '';
    if (!which) {
      const since = firstText(request.body, 'since') ?? '';
      return refuse(request, reply, 'since-error', { replay: { since, endpointId: given, isWrong: true } });
    }
    const endpointId = readEndpointId(given);
    // An invalid id must not mean all endpoints.
    if (given !== '' && endpointId === undefined) throw new PageError('BAD_FORM');
    await countAction(deps, guild.guildId, 'eventId' in which ? 'TOO_MANY_RESENDS' : 'TOO_MANY_REPLAYS');
    const { queued, nextSince } = await deps.webhooks.replay(guild.guildId, which, endpointId);
    const rest = nextSince === null ? '' : `&rest=${formatInstant(nextSince)}`;
    return reply.redirect(
      `${tabAddress(guild.guildId, 'webhooks')}?replayed=${queued}${rest}`,
      SEE_OTHER_STATUS,
    );
  });
}

const EVENT_ID = /^evt_[0-9a-f]{32}$/;

function readChoice(body: unknown): ReplayChoice | undefined {
  const eventId = firstText(body, 'event');
  if (eventId !== undefined) return EVENT_ID.test(eventId) ? { eventId } : undefined;
  const since = parseIsoDate(firstText(body, 'since') ?? '');
  return since === undefined ? undefined : { since };
}

function editRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const path = '/webhooks/:endpoint_id/edit';

  app.get(path, { config: { changes: true } }, async (request, reply) => {
    const { guild } = adminOf(request);
    const endpoint = await findEndpoint(request, deps, guild.guildId);
    if (!endpoint) return redirectWithNotice(reply, guild.guildId, 'webhook-missing');
    return sendEditForm(request, reply, deps, guild, endpoint, request.flash?.webhook ?? formOf(endpoint));
  });

  app.post(path, async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const endpoint = await findEndpoint(request, deps, guildId);
    if (!endpoint) return redirectWithNotice(reply, guildId, 'webhook-missing');
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const input = readSettings(request.body, endpoint.destination.kind);
    const edited = await deps.webhooks.editEndpoint(guildId, endpoint.endpointId, input, person);
    if (edited.ok) return redirectWithNotice(reply, guildId, 'webhook-edited', endpoint.endpointId);
    if (edited.fault === 'unknown-endpoint') return redirectWithNotice(reply, guildId, 'webhook-missing');
    const webhook = { ...input, token: '', secret: '', fault: edited.fault };
    return (
      redirectWithFlash(request, reply, `${endpointAddress(endpoint, 'edit')}#form-error`, { webhook }) ??
      sendEditForm(request, reply.code(PAGE_STATUS.BAD_FORM), deps, guild, endpoint, webhook)
    );
  });
}

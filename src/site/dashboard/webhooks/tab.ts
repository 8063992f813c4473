import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Guild } from '../../../domain/guild.ts';
import { firstText } from '../../../domain/record.ts';
import type { DeliveryRecord, WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { PAGE_STATUS, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { redirectWithFlash } from '../../flash.ts';
import { html } from '../../layout/html.ts';
import type { PageContext } from '../../layout/page.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import type { Notice } from '../frame.ts';
import { sendTab, tabAddress } from '../frame.ts';
import { liveSource } from '../live.ts';
import { deliveriesState, LIVE_DELIVERIES } from '../live-channels.ts';
import { type Disclosure, endpointView, readCards } from './endpoint-view.ts';
import { logView, type ReplayForm, replayedNotice, replayView, suggestedReplay } from './log-view.ts';
import { webhooksMessages } from './messages.ts';
import { addView, editView, emptyForm } from './settings-form.ts';
import type { SettingsForm } from './target-fields.ts';

const ENDPOINT_ID = /^ep_[0-9a-f]{16}$/;

/** Skips the query for text that cannot be an id: the empty text finds no endpoint. */
export function endpointIdOf(request: FastifyRequest): string {
  return readEndpointId(firstText(request.params, 'endpoint_id')) ?? '';
}

export function readEndpointId(text: string | undefined): string | undefined {
  return text !== undefined && ENDPOINT_ID.test(text) ? text : undefined;
}

export async function findEndpoint(
  request: FastifyRequest,
  { webhooks }: DashboardDeps,
  guildId: string,
): Promise<WebhookEndpoint | undefined> {
  const endpointId = endpointIdOf(request);
  return (await webhooks.listEndpoints(guildId)).find((endpoint) => endpoint.endpointId === endpointId);
}

/** Redirects to the tab with a notice, or to the card of one endpoint. */
export function redirectWithNotice(
  reply: FastifyReply,
  guildId: string,
  done: Notice,
  endpointId: string | null = null,
): FastifyReply {
  const anchor = endpointId === null ? '' : `#${endpointId}`;
  return reply.redirect(`${tabAddress(guildId, 'webhooks')}?done=${done}${anchor}`, SEE_OTHER_STATUS);
}

/** What the page shows after an action: a one-time result, or a form to correct. */
type TabState = { disclosed?: Disclosure; add?: SettingsForm; replay?: ReplayForm };

declare module '../../flash.ts' {
  interface Flash {
    /** The form to edit an endpoint. */
    webhook?: SettingsForm;
    webhooks?: {
      add?: SettingsForm;
      replay?: ReplayForm;
      /** The id of the endpoint whose secret was revealed. */
      shown?: string;
    };
  }
}

/** The state that the form before this page left in the flash. */
export async function readTabState(
  { flash }: FastifyRequest,
  { webhooks }: DashboardDeps,
  guildId: string,
): Promise<TabState> {
  const { shown, ...forms } = flash?.webhooks ?? {};
  const revealed = shown === undefined ? undefined : await webhooks.revealSecret(guildId, shown);
  if (shown === undefined || !revealed?.shown) return forms;
  return { disclosed: { endpointId: shown, secret: revealed.secret } };
}

export async function sendWebhooksTab(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  guild: Guild,
  { disclosed, add, replay }: TabState = {},
): Promise<FastifyReply> {
  const { guildId } = guild;
  const now = deps.clock();
  const deliveries = await deps.webhooks.deliveryLog(guildId, LIVE_DELIVERIES);
  const cards = await readCards(deps, guildId, disclosed, findTest(request, deliveries));
  const endpoints = cards.map(({ endpoint }) => endpoint);
  const isChoosing = firstText(request.query, 'kind') !== undefined;
  const isUsed = endpoints.length > 0 || deliveries.length > 0;
  const view = (context: PageContext) => html`${replayedNotice(context.locale, request.query)}
${intro(context)}
${cards.map((card) => endpointView(context, card, now))}
${!context.isReadOnly && addView(context, guildId, endpoints.length, add ?? emptyForm(request.query, context.locale), isChoosing)}
${isUsed && html`<div id="live-log" data-live>${logView(context, { guildId, deliveries, limit: LIVE_DELIVERIES, endpoints, now })}</div>`}
${endpoints.length > 0 && !context.isReadOnly && replayView(context, guildId, endpoints, replay ?? suggestedReplay(now))}
${isUsed && liveSource(context.locale, guildId, 'deliveries', deliveriesState(deliveries))}`;
  const files = { scripts: ['dashboard/live.js'], styles: ['dashboard/webhooks.css'] };
  return sendTab(request, reply, deps, { guild, tab: 'webhooks', view, ...files });
}

/** The test whose result the URL names. It follows a redirect, so going back does not send the test again. */
function findTest(
  request: FastifyRequest,
  deliveries: readonly DeliveryRecord[],
): DeliveryRecord | undefined {
  const tested = firstText(request.query, 'tested');
  return deliveries.find(({ eventId, isTest }) => isTest && eventId === tested);
}

function intro({ locale }: PageContext) {
  const text = webhooksMessages[locale];
  return html`<div class="stack"><h2>${text.title}</h2><p class="measure">${text.lead}</p>
<p class="muted measure small-text">${text.verify} <a href="/docs">${text.docs}</a></p></div>`;
}

/** Shows the tab with the submitted form and its error. */
export function refuseWith(deps: DashboardDeps) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    anchor: string,
    forms: Omit<TabState, 'disclosed'>,
  ) => {
    const { guild } = adminOf(request);
    const address = `${tabAddress(guild.guildId, 'webhooks')}#${anchor}`;
    return (
      redirectWithFlash(request, reply, address, { webhooks: forms }) ??
      sendWebhooksTab(request, reply.code(PAGE_STATUS.BAD_FORM), deps, guild, forms)
    );
  };
}

export function sendEditForm(
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

import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import type { Guild } from '../../../domain/guild.ts';
import type { DeliveryRecord } from '../../../store/webhook-store.ts';
import { html } from '../../html.ts';
import type { PageContext } from '../../layout/page.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { type Disclosure, readCards } from './endpoint-card.ts';
import { endpointView } from './endpoint-view.ts';
import { logView } from './log-view.ts';
import { webhooksMessages } from './messages.ts';
import { type ReplayForm, replayedNotice, replayView, suggestedReplay } from './replay-view.ts';
import { addView, EMPTY_FORM, type SettingsForm } from './settings-form.ts';

const LOG_LENGTH = 50;

/** What an action leaves on the page: something to see once, or a form to be corrected. */
export type Aftermath = { disclosed?: Disclosure; add?: SettingsForm; replay?: ReplayForm };

export async function sendWebhooksTab(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  guild: Guild,
  { disclosed, add = EMPTY_FORM, replay }: Aftermath = {},
): Promise<FastifyReply> {
  const { guildId } = guild;
  const now = deps.clock();
  const deliveries = await deps.webhooks.deliveryLog(guildId, LOG_LENGTH);
  const cards = await readCards(deps, guildId, disclosed, findTest(request, deliveries));
  const endpoints = cards.map(({ endpoint }) => endpoint);
  const isUsed = endpoints.length > 0 || deliveries.length > 0;
  const view = (context: PageContext) => html`${replayedNotice(context.locale, request.query)}
${intro(context)}
${cards.map((card) => endpointView(context, card, now))}
${!context.isReadOnly && addView(context, guildId, endpoints.length, add)}
${isUsed && logView(context, { guildId, deliveries, limit: LOG_LENGTH, endpoints, now })}
${endpoints.length > 0 && !context.isReadOnly && replayView(context, guildId, endpoints, replay ?? suggestedReplay(now))}`;
  const files = { scripts: ['dashboard.js'], styles: ['dashboard-webhooks.css'] };
  return sendTab(request, reply, deps, { guild, tab: 'webhooks', view, ...files });
}

/** The test whose result the address of the page asks for: after the form, so that going back sends none again. */
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

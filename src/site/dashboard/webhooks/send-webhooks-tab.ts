import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import type { Guild } from '../../../domain/guild.ts';
import { html } from '../../html.ts';
import type { PageContext } from '../../layout/page.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { type AddForm, addView, EMPTY_FORM } from './add-view.ts';
import { type Disclosure, readCards } from './endpoint-card.ts';
import { endpointView } from './endpoint-view.ts';
import { logView } from './log-view.ts';
import { webhooksMessages } from './messages.ts';
import { type ReplayForm, replayedNotice, replayView, suggestedReplay } from './replay-view.ts';

const LOG_LENGTH = 50;

/** What an action leaves on the page: something to see once, or a form to be corrected. */
export type Aftermath = { disclosed?: Disclosure; add?: AddForm; replay?: ReplayForm };

export async function sendWebhooksTab(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  guild: Guild,
  { disclosed, add = EMPTY_FORM, replay }: Aftermath = {},
): Promise<FastifyReply> {
  const { guildId } = guild;
  const now = deps.clock();
  const cards = await readCards(deps, guildId, disclosed);
  const deliveries = await deps.webhooks.deliveryLog(guildId, LOG_LENGTH);
  const endpoints = cards.map(({ endpoint }) => endpoint);
  const endpointsOn = new Set(
    endpoints.filter(({ disabled }) => !disabled).map(({ endpointId }) => endpointId),
  );
  const isUsed = endpoints.length > 0 || deliveries.length > 0;
  const view = (
    context: PageContext,
  ) => html`${replayedNotice(context.locale, firstText(request.query, 'replayed'))}
${intro(context)}
${cards.map((card) => endpointView(context, card, now))}
${!context.isReadOnly && addView(context, guildId, endpoints.length, add)}
${isUsed && logView(context, { guildId, deliveries, limit: LOG_LENGTH, endpointsOn, now })}
${endpoints.length > 0 && !context.isReadOnly && replayView(context, guildId, endpoints, replay ?? suggestedReplay(now))}`;
  const files = { scripts: ['dashboard.js'], styles: ['dashboard-webhooks.css'] };
  return sendTab(request, reply, deps, { guild, tab: 'webhooks', view, ...files });
}

function intro({ locale }: PageContext) {
  const text = webhooksMessages[locale];
  return html`<div class="stack"><h2>${text.title}</h2><p class="measure">${text.lead}</p>
<p class="muted measure small-text">${text.verify} <a href="/docs">${text.docs}</a></p></div>`;
}

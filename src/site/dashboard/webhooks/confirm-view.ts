import type { Instant } from '../../../domain/clock.ts';
import type { WebhookEndpoint } from '../../../store/webhook-store.ts';
import { type Html, html } from '../../html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { momentTag } from '../format.ts';
import { endpointAddress, tabAddress } from './addresses.ts';
import { secretVersion } from './endpoint-card.ts';
import { webhooksMessages } from './messages.ts';

/** Asks once more, and says what it costs. */
export function confirmView(endpoint: WebhookEndpoint, action: 'rotate' | 'remove', now: Instant) {
  return ({ locale, csrfToken }: PageContext): Html => {
    const text = webhooksMessages[locale];
    const question = text.questions[action];
    const { guildId, endpointId, url, secrets } = endpoint;
    const previous = action === 'rotate' && secrets.previous;
    const isRotating = previous && now < previous.validUntil;
    return html`<section class="card" aria-labelledby="confirm">
<h2 id="confirm">${question.title}</h2>
<p class="mono"><bdi>${url}</bdi></p>
<p class="measure"><strong>${question.warning}</strong> ${question.consequence}</p>
${isRotating && html`<p class="notice warn">${text.stillRotating} ${momentTag(previous.validUntil, locale)}.</p>`}
<form class="row" method="post" action="${endpointAddress(endpoint, action)}">${csrfField(csrfToken)}${action === 'rotate' && html`<input type="hidden" name="replaces" value="${secretVersion(endpoint)}">`}
<button class="danger">${question.confirm}</button><a class="button secondary" href="${tabAddress(guildId)}#${endpointId}">${question.cancel}</a></form></section>`;
  };
}

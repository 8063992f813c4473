import type { Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
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
    const { guildId, endpointId, name, url, secrets } = endpoint;
    const previous = action === 'rotate' && secrets.previous;
    const isRotating = previous && now < previous.validUntil;
    return html`<section class="card" aria-labelledby="confirm">
<h2 id="confirm">${question.title}</h2>
<p>${name !== null && html`<strong><bdi>${name}</bdi></strong> `}<bdi class="mono">${url}</bdi></p>
<p class="measure"><strong>${question.warning}</strong> ${question.consequence}</p>
${isRotating && html`<p class="notice warn">${text.stillRotating} ${momentTag(previous.validUntil, locale)}.</p>`}
<form class="stack confirm-form" method="post" action="${endpointAddress(endpoint, action)}">${csrfField(csrfToken)}${action === 'rotate' && rotationFields(locale, endpoint)}
<div class="row"><button class="danger">${question.confirm}</button><a class="button secondary" href="${tabAddress(guildId)}#${endpointId}">${question.cancel}</a></div></form></section>`;
  };
}

function rotationFields(locale: Locale, endpoint: WebhookEndpoint): Html {
  const { when, whenLegend } = webhooksMessages[locale];
  const choice = (moment: 'later' | 'now') =>
    html`<label class="choice"><input type="radio" name="when" value="${moment}"${moment === 'later' && html` checked`}><span><span class="choice-name">${when[moment].name}</span><span class="muted small-text">${when[moment].hint}</span></span></label>`;
  return html`<input type="hidden" name="replaces" value="${secretVersion(endpoint)}">
<fieldset class="choices"><legend class="visually-hidden">${whenLegend}</legend>${choice('later')}${choice('now')}</fieldset>`;
}

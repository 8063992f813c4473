import { type Html, html } from '../../html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { tabAddress } from '../frame.ts';
import { keyMessages } from './messages.ts';

/** Asks once more, and says what it costs, before the old key stops. */
export function confirmView(guildId: string, version: string) {
  return ({ locale, csrfToken }: PageContext): Html => {
    const text = keyMessages[locale].confirm;
    return html`<section class="card" aria-labelledby="confirm">
<h2 id="confirm">${text.title}</h2>
<p class="measure"><strong>${text.warning}</strong> ${text.consequence}</p>
<form class="row" method="post" action="/dashboard/${guildId}/key/new">${csrfField(csrfToken)}<input type="hidden" name="replaces" value="${version}">
<button class="danger">${text.confirm}</button><a class="button secondary" href="${tabAddress(guildId, 'key')}">${text.cancel}</a></form></section>`;
  };
}

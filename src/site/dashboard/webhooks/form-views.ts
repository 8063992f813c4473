import { DAY_MS, formatInstant, type Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/text.ts';
import { parseIsoDate } from '../../../domain/votes/period.ts';
import { votifierAddress } from '../../../domain/webhooks/votifier.ts';
import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { formatNumber, momentTag } from '../format.ts';
import { tabAddress } from './addresses.ts';
import { logMessages } from './log-messages.ts';

/** The submitted values, to fill in the form again. */
export type ReplayForm = { since: string; endpointId: string; isWrong: boolean };

/** Yesterday at this time, the default of the form, in the format of datetime-local fields. */
export function suggestedReplay(now: Instant): ReplayForm {
  return {
    since: formatInstant(now - DAY_MS).slice(0, 'YYYY-MM-DDTHH:MM'.length),
    endpointId: '',
    isWrong: false,
  };
}

export function replayView(
  { locale, csrfToken }: PageContext,
  guildId: string,
  endpoints: readonly WebhookEndpoint[],
  { since, endpointId, isWrong }: ReplayForm,
): Html {
  const text = logMessages[locale].replay;
  return html`<section class="card" aria-labelledby="replay">
<div class="stack"><h2 id="replay">${text.title}</h2><p class="muted measure">${text.hint}</p></div>
${isWrong && html`<p class="notice bad" id="since-error" role="alert" tabindex="-1" autofocus>${text.wrong}</p>`}
<form class="inline-form" method="post" action="${tabAddress(guildId)}/replay">${csrfField(csrfToken)}
<div class="field"><label for="since">${text.since}</label><input type="datetime-local" id="since" name="since" value="${since}" required${isWrong && html` aria-invalid="true" aria-describedby="since-error"`}></div>
<div class="field"><label for="to">${text.to}</label><select id="to" name="endpoint"><option value="">${text.all}</option>${endpoints.map(
    (endpoint) =>
      html`<option value="${endpoint.endpointId}"${endpoint.endpointId === endpointId && html` selected`}>${optionName(endpoint)}</option>`,
  )}</select></div>
<button class="secondary">${text.action}</button></form></section>`;
}

function optionName({ name, url }: WebhookEndpoint): string {
  return name === null ? votifierAddress(url) : `${name} (${new URL(url).host})`;
}

/** The result of a replay in the URL: how many deliveries were queued, and from when on events are left. */
export function replayedNotice(locale: Locale, query: unknown): Html | null {
  const replayed = firstText(query, 'replayed');
  if (replayed === undefined || !/^\d{1,9}$/.test(replayed)) return null;
  const rest = parseIsoDate(firstText(query, 'rest') ?? '');
  const text = logMessages[locale].replay;
  const count = Number(replayed);
  if (count === 0 && rest === undefined) return html`<p class="notice warn" role="status">${text.none}</p>`;
  const queued = text.queued(formatNumber(count, locale));
  if (rest === undefined) return html`<p class="notice good" role="status">${queued}</p>`;
  return html`<p class="notice warn" role="status">${queued} ${text.rest} ${momentTag(rest, locale)}.</p>`;
}

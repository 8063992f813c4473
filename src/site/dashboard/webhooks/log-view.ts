import { DAY_MS, formatInstant, type Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import { parseIsoDate } from '../../../domain/votes/period.ts';
import { type Failure, failureText } from '../../../domain/webhooks/failure.ts';
import { votifierAddress } from '../../../domain/webhooks/votifier.ts';
import type {
  AttemptResult,
  DeliveryRecord,
  DeliveryState,
  WebhookEndpoint,
} from '../../../store/webhooks/store.ts';
import { formatNumber, secondTag, timeZoneNote } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { tabAddress } from '../frame.ts';
import { destinationMessages } from './destination-messages.ts';
import { logMessages } from './log-messages.ts';

type LogPage = {
  guildId: string;
  deliveries: readonly DeliveryRecord[];
  limit: number;
  endpoints: readonly WebhookEndpoint[];
  now: Instant;
};

export function logView(context: PageContext, page: LogPage): Html {
  const text = logMessages[context.locale];
  return html`<section class="card" id="deliveries" aria-labelledby="deliveries-title">
<div class="row between"><div class="stack"><h2 id="deliveries-title">${text.title}</h2><p class="muted small-text">${text.hint(page.limit)} ${timeZoneNote(context.locale)}</p></div>
<a class="button small secondary" href="${tabAddress(page.guildId, 'webhooks')}#deliveries">${text.refresh}</a></div>
${page.deliveries.length === 0 ? html`<p class="empty">${text.empty}</p>` : logTable(context, page)}</section>`;
}

function logTable(context: PageContext, page: LogPage): Html {
  const text = logMessages[context.locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="deliveries-title"><table class="stacked log">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.event}</th><th scope="col">${text.endpoint}</th><th scope="col">${text.result}</th><th scope="col">${text.answer}</th><th scope="col"><span class="visually-hidden">${text.action}</span></th></tr></thead>
<tbody>${page.deliveries.map((delivery) => row(context, page, delivery))}</tbody></table></div>`;
}

function row(context: PageContext, page: LogPage, delivery: DeliveryRecord): Html {
  const { locale } = context;
  const { occursAt, type, eventId } = delivery;
  const text = logMessages[locale];
  const endpoint = page.endpoints.find(({ endpointId }) => endpointId === delivery.endpointId);
  const answer = delivery.lastAttempt?.answer ?? '';
  const action =
    !context.isReadOnly && mayReplay(delivery, endpoint, page.now) && replayForm(context, delivery);
  return html`<tr><td>${secondTag(occursAt, locale)}</td>
<td><span class="mono">${type}</span>${isSample(delivery) && html` <span class="badge">${text.test}</span>`}<br><span class="mono muted event-id">${eventId}</span></td>
<td class="log-url">${endpoint ? endpointName(locale, endpoint) : html`<span class="muted">${text.removed}</span>`}</td>
<td>${resultView({ locale, delivery, endpoint, now: page.now })}</td>
<td${answer === '' && html` class="no muted"`}>${answer === '' ? '–' : answerView(locale, answer)}</td>
<td${!action && html` class="no"`}>${action}</td></tr>`;
}

const BADGES: Record<DeliveryState, string> = {
  delivered: ' good',
  failed: ' bad',
  pending: ' warn',
  skipped: '',
  uncertain: ' warn',
};

function isSample({ isTest, type }: DeliveryRecord): boolean {
  return isTest && type !== 'webhook_test';
}

function endpointName(locale: Locale, { name, url, destination: { kind } }: WebhookEndpoint): Html {
  const shown =
    name === null ? html`<bdi class="mono">${votifierAddress(url)}</bdi>` : html`<bdi>${name}</bdi>`;
  return html`${shown}${kind !== 'https' && html`<div class="muted small-text">${destinationMessages[locale].kinds[kind].name}</div>`}`;
}

type LogEntry = {
  locale: Locale;
  delivery: DeliveryRecord;
  endpoint: WebhookEndpoint | undefined;
  now: Instant;
};

function resultView(entry: LogEntry): Html {
  const { locale, delivery } = entry;
  const text = logMessages[locale];
  const { state, attempts, lastAttempt } = delivery;
  return html`<div class="log-result"><span class="badge${BADGES[state]}">${text.states[state]}</span>
${state === 'uncertain' && !lastAttempt && html`<span>${failureView(locale, 'ANSWER_LOST')}</span>`}
${attempts > 0 && html`<span>${text.tries(attempts)}${lastAttempt && html`, ${attemptText(locale, lastAttempt)}`}</span>`}
${state === 'pending' && html`<span>${nextTry(entry)}</span>`}</div>`;
}

/**
 * A delivery that is due or was never attempted is in progress: a worker has it or claims it next. Only tests are
 * sent to a disabled or paused endpoint.
 */
function nextTry({ locale, delivery, endpoint, now }: LogEntry): Html {
  const text = logMessages[locale];
  if (!delivery.isTest && !isOn(endpoint)) return html`${text.held}`;
  if (!delivery.isTest && endpoint?.pausedAt != null) return html`${text.heldBack}`;
  const retryAt = retryTime(delivery, now);
  return retryAt === null ? html`${text.sending}` : html`${text.nextTry} ${secondTag(retryAt, locale)}`;
}

function isOn(endpoint: WebhookEndpoint | undefined): boolean {
  return endpoint !== undefined && endpoint.disabled === null;
}

function retryTime({ nextAttemptAt, attempts }: DeliveryRecord, now: Instant): Instant | null {
  return nextAttemptAt !== null && nextAttemptAt > now && attempts > 0 ? nextAttemptAt : null;
}

const PREVIEW_LENGTH = 40;

/** Untrusted text: always escaped, on one line unless expanded. */
function answerView(locale: Locale, answer: string): Html {
  const line = answer.replace(/\s+/g, ' ').trim();
  const preview = Array.from(line).slice(0, PREVIEW_LENGTH).join('');
  if (preview === answer) return html`<bdi class="mono">${answer}</bdi>`;
  return html`<details><summary><bdi class="mono">${preview}…</bdi></summary>${responseBox(locale, answer)}</details>`;
}

/** A long text scrolls inside the box, so the box can be focused with the keyboard. */
function responseBox(locale: Locale, answer: string): Html {
  return html`<pre class="wrap answer" dir="auto" tabindex="0" role="group" aria-label="${logMessages[locale].answeredWith}">${answer}</pre>`;
}

/** Tests are never resent, and a skipped delivery would be skipped again. A delivery that waits can be sent now. */
function mayReplay(delivery: DeliveryRecord, endpoint: WebhookEndpoint | undefined, now: Instant): boolean {
  if (delivery.state === 'skipped') return false;
  const isIdle = delivery.state !== 'pending' || retryTime(delivery, now) !== null;
  return !delivery.isTest && isIdle && isOn(endpoint);
}

function replayForm(
  { locale, csrfToken }: PageContext,
  { guildId, eventId, endpointId }: DeliveryRecord,
): Html {
  const text = logMessages[locale];
  return html`<form method="post" action="${tabAddress(guildId, 'webhooks')}/replay">${csrfField(csrfToken)}<input type="hidden" name="event" value="${eventId}"><input type="hidden" name="endpoint" value="${endpointId}"><button class="small secondary nowrap" aria-label="${text.againOne(eventId)}">${text.again}</button></form>`;
}

export function testResultView(locale: Locale, { lastAttempt, state, eventId }: DeliveryRecord): Html {
  const text = logMessages[locale];
  const isDelivered = state === 'delivered';
  const answer = lastAttempt?.answer ?? '';
  return html`<div class="notice ${isDelivered ? 'good' : 'bad'} stack" role="status">
<p><strong>${isDelivered ? text.delivered : text.notDelivered}</strong> ${lastAttempt ? attemptText(locale, lastAttempt) : text.noAnswer}</p>
${answer !== '' && html`<p>${text.answeredWith}</p>${responseBox(locale, answer)}`}
<p class="small-text mono">${eventId}</p></div>`;
}

/** "status 503, 34 ms", or "no response, 34 ms: the connection was refused". */
function attemptText(locale: Locale, { status, durationMs, error }: AttemptResult): Html {
  const text = logMessages[locale];
  const withoutStatus = error === null ? text.accepted : text.noAnswer;
  const answered = status === null ? withoutStatus : text.status(status);
  const reason = error !== null && html`${text.because}${failureView(locale, error)}`;
  return html`${answered}, ${text.duration(formatNumber(durationMs, locale))}${reason}`;
}

function failureView(locale: Locale, failure: Failure): Html {
  const { text, language } = failureText(failure, locale);
  return language === locale ? html`${text}` : html`<span lang="${language}">${text}</span>`;
}

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
<form class="inline-form" method="post" action="${tabAddress(guildId, 'webhooks')}/replay">${csrfField(csrfToken)}
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

/** The result of a replay, read from the URL: how many deliveries were queued, and since when events are left. */
export function replayedNotice(locale: Locale, query: unknown): Html | null {
  const replayed = firstText(query, 'replayed');
  if (replayed === undefined || !/^\d{1,9}$/.test(replayed)) return null;
  const rest = parseIsoDate(firstText(query, 'rest') ?? '');
  const text = logMessages[locale].replay;
  const count = Number(replayed);
  if (count === 0 && rest === undefined) return html`<p class="notice warn" role="status">${text.none}</p>`;
  const queued = text.queued(formatNumber(count, locale));
  if (rest === undefined) return html`<p class="notice good" role="status">${queued}</p>`;
  return html`<p class="notice warn" role="status">${queued} ${text.rest} ${secondTag(rest, locale)}.</p>`;
}

import type { Locale } from '../../../domain/locale.ts';
import type { AttemptResult, DeliveryRecord } from '../../../store/webhook-store.ts';
import { type Html, html } from '../../html.ts';
import { formatNumber } from '../format.ts';
import { failureText } from './failure-messages.ts';
import { logMessages } from './log-messages.ts';

export function testResultView(locale: Locale, { lastAttempt, state, eventId }: DeliveryRecord): Html {
  const text = logMessages[locale];
  const isDelivered = state === 'delivered';
  const answer = lastAttempt?.answer ?? '';
  return html`<div class="notice ${isDelivered ? 'good' : 'bad'} stack" role="status">
<p><strong>${isDelivered ? text.delivered : text.notDelivered}</strong> ${lastAttempt ? attemptText(locale, lastAttempt) : text.noAnswer}</p>
${answer !== '' && html`<p>${text.answeredWith}</p><pre class="wrap answer" dir="auto">${answer}</pre>`}
<p class="small-text mono">${eventId}</p></div>`;
}

/** "status 503, 34 ms", or "no answer, 34 ms: the connection was refused". */
export function attemptText(locale: Locale, { status, durationMs, error }: AttemptResult): Html {
  const text = logMessages[locale];
  const answered = status === null ? text.noAnswer : text.status(status);
  const reason = error !== null && html`${text.because}${failureText(error, locale)}`;
  return html`${answered}, ${text.duration(formatNumber(durationMs, locale))}${reason}`;
}

import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../html.ts';
import type { GivenDays, PeriodFault } from './csv-period.ts';
import { votesMessages } from './messages.ts';

/** `userId`: whose votes; null for everybody's. */
export type Download = { guildId: string; userId: string | null; days: GivenDays; fault: PeriodFault | null };

export function downloadView(locale: Locale, { guildId, userId, days, fault }: Download): Html {
  const text = votesMessages[locale].download;
  return html`<section class="card" aria-labelledby="download-title">
<div class="stack"><h2 id="download-title">${text.title}</h2><p class="muted measure">${text.hint}</p>${userId !== null && html`<p>${text.onlyUser(html`<strong class="mono">${userId}</strong>`)}</p>`}</div>
${fault !== null && html`<p class="notice bad" id="download-error" role="alert">${text.faults[fault]}</p>`}
<form class="inline-form" method="get" action="/dashboard/${guildId}/votes.csv">${userId !== null && html`<input type="hidden" name="user" value="${userId}">`}
${dayField('from', text.from, days.from, fault)}${dayField('to', text.to, days.to, fault)}
<button class="secondary">${text.action}</button></form></section>`;
}

function dayField(name: 'from' | 'to', label: string, value: string, fault: PeriodFault | null): Html {
  const invalid = fault !== null && html` aria-invalid="true" aria-describedby="download-error"`;
  return html`<div class="field"><label for="${name}">${label}</label><input type="date" id="${name}" name="${name}" value="${value}" required${invalid}></div>`;
}

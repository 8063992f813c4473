import type { Locale } from '../../../domain/locale.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import { type Html, html } from '../../layout/html.ts';
import { momentTag } from '../format.ts';
import { tabAddress } from '../frame.ts';
import type { GivenDays, PeriodFault } from './csv.ts';
import { votesMessages } from './messages.ts';
import type { UserFilter, VotePage } from './paging.ts';

export type VotesTab = {
  guildId: string;
  filter: UserFilter;
  page: VotePage;
  download: { days: GivenDays; fault: PeriodFault | null };
};

export function votesView(locale: Locale, tab: VotesTab): Html {
  const text = votesMessages[locale];
  return html`<section class="card" aria-labelledby="votes-title">
<div class="stack"><h2 id="votes-title">${text.title}</h2><p class="muted small-text">${text.hint}</p></div>
${filterForm(locale, tab)}
${tab.page.votes.length === 0 ? emptyView(locale, tab) : voteTable(locale, tab)}
${turns(locale, tab)}</section>
${downloadView(locale, { guildId: tab.guildId, userId: tab.filter.userId, ...tab.download })}`;
}

function filterForm(locale: Locale, { guildId, filter }: VotesTab): Html {
  const text = votesMessages[locale];
  const address = tabAddress(guildId, 'votes');
  return html`<form class="inline-form" method="get" action="${address}" role="search">
<div class="field"><label for="user">${text.user}</label>
<input type="text" id="user" name="user" inputmode="numeric" value="${filter.user}" placeholder="123456789012345678" autocomplete="off"${filter.isWrong && html` aria-invalid="true" aria-describedby="user-error"`}></div>
<button class="secondary">${text.filter}</button>${filter.user !== '' && html`<a class="quiet" href="${address}">${text.all}</a>`}</form>
${filter.isWrong && html`<p class="field-error" id="user-error">${text.wrongUser}</p>`}`;
}

function emptyView(locale: Locale, { filter }: VotesTab): Html {
  const text = votesMessages[locale];
  return html`<p class="empty">${filter.user === '' ? text.empty : text.emptyOfUser}</p>`;
}

function voteTable(locale: Locale, { guildId, page }: VotesTab): Html {
  const text = votesMessages[locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="votes-title"><table class="stacked">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.user}</th><th scope="col">external_id</th><th scope="col">${text.doubled}</th></tr></thead>
<tbody>${page.votes.map((vote) => row(locale, guildId, vote))}</tbody></table></div>`;
}

function row(locale: Locale, guildId: string, { castAt, userId, externalId, isDoubled }: Vote): Html {
  const text = votesMessages[locale];
  return html`<tr><td class="nowrap">${momentTag(castAt, locale)}</td><td class="nowrap"><a class="mono" href="${tabAddress(guildId, 'votes')}?user=${userId}">${userId}</a></td><td${externalId === null && html` class="no muted"`}>${externalId === null ? '–' : html`<bdi class="clamp" title="${externalId}">${externalId}</bdi>`}</td><td${!isDoubled && html` class="no muted"`}>${isDoubled ? html`<span class="badge accent">${text.yes}</span>` : text.no}</td></tr>`;
}

function turns(locale: Locale, { guildId, filter, page }: VotesTab): Html | null {
  if (page.newer === null && page.older === null) return null;
  const text = votesMessages[locale];
  const user = filter.userId === null ? '' : `user=${filter.userId}&`;
  const link = (label: string, query: string, rel: string) =>
    html`<a class="button small secondary" rel="${rel}" href="${tabAddress(guildId, 'votes')}?${user}${query}">${label}</a>`;
  return html`<nav class="row between" aria-label="${text.pages}"><span>${page.newer !== null && link(text.newer, `after=${page.newer}`, 'prev')}</span><span>${page.older !== null && link(text.older, `before=${page.older}`, 'next')}</span></nav>`;
}

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

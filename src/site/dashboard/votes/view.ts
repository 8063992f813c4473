import { formatInstant, type Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { DEFAULT_CONSUMER } from '../../../domain/votes/consumers.ts';
import type { PeriodFault } from '../../../domain/votes/period.ts';
import type { VotePosition } from '../../../domain/votes/vote.ts';
import type { ClaimTimes, VoteWithClaims } from '../../../store/claims/claims.ts';
import { momentTag, rowTimeTag, timeZoneNote } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { nameOf, type People, personTag } from '../../layout/people.ts';
import { tabAddress } from '../frame.ts';
import { votesMessages } from './messages.ts';
import { filterQuery, type GivenDays, type VotePage, type VotesFilter, writePosition } from './paging.ts';

type VotesTab = {
  guildId: string;
  filter: VotesFilter;
  page: VotePage;
  people: People;
  download: { days: GivenDays; fault: PeriodFault | null };
};

export function votesView(context: PageContext, tab: VotesTab): Html {
  const { locale } = context;
  const text = votesMessages[locale];
  return html`<section class="card" aria-labelledby="votes-title">
<div class="stack"><h2 id="votes-title">${text.title}</h2><p class="muted small-text">${text.hint} ${timeZoneNote(locale)}</p></div>
${filterForm(locale, tab)}
<div class="stack" id="live-votes" data-live>${tab.page.votes.length === 0 ? emptyView(locale, tab) : voteTable(context, tab)}
${pageLinks(locale, tab)}</div></section>
${downloadView(locale, { guildId: tab.guildId, filter: tab.filter, ...tab.download })}`;
}

function filterForm(locale: Locale, { guildId, filter, people }: VotesTab): Html {
  const text = votesMessages[locale];
  const address = tabAddress(guildId, 'votes');
  const { user, name, fault } = filter;
  const isFiltered = user !== '' || name !== '';
  const invalid = html` aria-invalid="true" aria-describedby="filter-error"`;
  const first = html`${invalid} autofocus`;
  return html`${fault !== null && html`<p class="field-error" id="filter-error">${text.faults[fault]}</p>`}
<form class="inline-form" method="get" action="${address}" role="search">
<div class="field"><label for="user">${text.user}</label>
<input type="text" id="user" name="user" inputmode="numeric" value="${user}" placeholder="123456789012345678" autocomplete="off"${fault !== null && first}></div>
<div class="field"><label for="external_id">${text.playerName}</label>
<input type="text" id="external_id" name="external_id" value="${name}" placeholder="Steve_42" autocomplete="off"${fault === 'both' && invalid}></div>
<button class="secondary">${text.filter}</button>${isFiltered && html`<a class="quiet" href="${address}">${text.all}</a>`}</form>
${people.has(user) && html`<p class="row">${text.votesBy} ${personTag(locale, people, user)}</p>`}`;
}

function emptyView(locale: Locale, { filter }: VotesTab): Html {
  const text = votesMessages[locale];
  return html`<p class="empty">${filter.of === null ? text.empty : text.emptyFiltered}</p>`;
}

function voteTable(context: PageContext, { guildId, page, people }: VotesTab): Html {
  const text = votesMessages[context.locale];
  const columns = columnsOf(page);
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="votes-title"><table class="stacked">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.voter}</th><th scope="col">${text.playerName}</th>${columns.doubled && html`<th scope="col">${text.doubled}</th>`}${columns.claim && html`<th scope="col">${text.claim}</th>`}</tr></thead>
<tbody>${page.votes.map((vote) => row(context, guildId, vote, { people, columns }))}</tbody></table></div>`;
}

/** Columns that would be empty on this page are left out. */
type Columns = { doubled: boolean; claim: boolean };

function columnsOf({ votes }: VotePage): Columns {
  return {
    doubled: votes.some(({ isDoubled }) => isDoubled),
    claim: votes.some((vote) => claimsOf(vote).length > 0),
  };
}

function row(
  context: PageContext,
  guildId: string,
  vote: VoteWithClaims,
  { people, columns }: { people: People; columns: Columns },
): Html {
  const { locale } = context;
  const { castAt, userId, externalId, isDoubled } = vote;
  const name =
    externalId === null
      ? '–'
      : html`<a href="${tabAddress(guildId, 'votes')}?external_id=${encodeURIComponent(externalId)}"><bdi class="clamp" title="${externalId}">${externalId}</bdi></a>`;
  return html`<tr data-key="${writePosition(vote)}"><td class="nowrap">${rowTimeTag(castAt, locale)}</td><td>${personTag(locale, people, userId, `${tabAddress(guildId, 'votes')}?user=${userId}`)}</td><td${externalId === null && html` class="no muted"`}>${name}</td>${columns.doubled && doubledCell(locale, isDoubled)}${columns.claim && claimCell(context, guildId, vote, nameOf(people, userId))}</tr>`;
}

function doubledCell(locale: Locale, isDoubled: boolean): Html {
  const text = votesMessages[locale];
  return isDoubled
    ? html`<td><span class="badge">${text.doubled}</span></td>`
    : html`<td class="no muted">–</td>`;
}

function claimCell(
  { locale, isReadOnly }: PageContext,
  guildId: string,
  vote: VoteWithClaims,
  voter: string,
): Html {
  const text = votesMessages[locale];
  const claims = claimsOf(vote);
  if (claims.length === 0) return html`<td class="no muted">–</td>`;
  const line = ({ consumer, claimedAt }: Claim) => {
    const named = consumer !== DEFAULT_CONSUMER;
    const address = `${releaseAddress(guildId)}?vote=${writePosition(vote)}${named ? `&consumer=${consumer}` : ''}`;
    return html`<div>${named && html`<span class="mono">${consumer}</span> `}<span class="nowrap">${rowTimeTag(claimedAt, locale)}</span>
${!isReadOnly && html`<a class="quiet" href="${address}">${text.release}<span class="visually-hidden"> ${text.releaseOf(voter)}${named && ` (${consumer})`}</span></a>`}</div>`;
  };
  return html`<td>${claims.map(line)}</td>`;
}

type Claim = { consumer: string; claimedAt: Instant };

/** That of `default` first, then by name. */
export function claimsOf({ claimedAt, claims }: ClaimTimes): Claim[] {
  const named = Object.entries(claims).map(([consumer, claimedAt]) => ({ consumer, claimedAt }));
  const first = claimedAt === null ? [] : [{ consumer: DEFAULT_CONSUMER, claimedAt }];
  return [...first, ...named.sort((a, b) => (a.consumer < b.consumer ? -1 : 1))];
}

function releaseAddress(guildId: string): string {
  return `${tabAddress(guildId, 'votes')}/release`;
}

/** Asks for confirmation. The form contains the time of the claim, so a later claim is not released. */
export function confirmReleaseView(
  vote: VotePosition,
  { consumer, claimedAt }: Claim,
  guildId: string,
  people: People,
) {
  return ({ locale, csrfToken }: PageContext): Html => {
    const text = votesMessages[locale].confirm;
    return html`<section class="card" aria-labelledby="confirm">
<h2 id="confirm">${text.title}</h2>
<p>${text.vote} ${momentTag(vote.castAt, locale)}, ${personTag(locale, people, vote.userId)}. ${text.claimed} ${momentTag(claimedAt, locale)}${consumer !== DEFAULT_CONSUMER && html` (<span class="mono">${consumer}</span>)`}.</p>
<p class="measure"><strong>${text.warning}</strong></p>
<form class="row" method="post" action="${releaseAddress(guildId)}">${csrfField(csrfToken)}<input type="hidden" name="vote" value="${writePosition(vote)}"><input type="hidden" name="consumer" value="${consumer}"><input type="hidden" name="claimed_at" value="${formatInstant(claimedAt)}">
<button class="danger">${text.confirm}</button><a class="button secondary" href="${tabAddress(guildId, 'votes')}">${text.cancel}</a></form></section>`;
  };
}

function pageLinks(locale: Locale, { guildId, filter, page }: VotesTab): Html | null {
  if (page.newer === null && page.older === null) return null;
  const text = votesMessages[locale];
  const query = (position: string) => [filterQuery(filter), position].filter(Boolean).join('&');
  const link = (label: string, position: string, rel: string) =>
    html`<a class="button small secondary" rel="${rel}" href="${tabAddress(guildId, 'votes')}?${query(position)}">${label}</a>`;
  return html`<nav class="row between" aria-label="${text.pages}"><span>${page.newer !== null && link(text.newer, `after=${page.newer}`, 'prev')}</span><span>${page.older !== null && link(text.older, `before=${page.older}`, 'next')}</span></nav>`;
}

type Download = { guildId: string; filter: VotesFilter; days: GivenDays; fault: PeriodFault | null };

function downloadView(locale: Locale, { guildId, filter, days, fault }: Download): Html {
  const text = votesMessages[locale].download;
  const [field, who] = filter.name === '' ? ['user', filter.user] : ['external_id', filter.name];
  const isFiltered = filter.of !== null;
  return html`<section class="card" aria-labelledby="download-title">
<div class="stack"><h2 id="download-title">${text.title}</h2><p class="muted measure">${text.hint}</p>${isFiltered && html`<p>${text.onlyThese(html`<strong class="mono"><bdi>${who}</bdi></strong>`)}</p>`}</div>
${fault !== null && html`<p class="notice bad" id="download-error" role="alert" tabindex="-1" autofocus>${text.faults[fault]}</p>`}
<form class="inline-form" method="get" action="/dashboard/${guildId}/votes.csv">${isFiltered && html`<input type="hidden" name="${field}" value="${who}">`}
${dayField('from', text.from, days.from, fault)}${dayField('to', text.to, days.to, fault)}
<button class="secondary">${text.action}</button></form></section>`;
}

function dayField(name: 'from' | 'to', label: string, value: string, fault: PeriodFault | null): Html {
  const invalid = fault !== null && html` aria-invalid="true" aria-describedby="download-error"`;
  return html`<div class="field"><label for="${name}">${label}</label><input type="date" id="${name}" name="${name}" value="${value}" required${invalid}></div>`;
}

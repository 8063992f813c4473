import { formatInstant, type Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import type { PeriodFault } from '../../../domain/votes/period.ts';
import type { ClaimableVote, VotePosition } from '../../../domain/votes/vote.ts';
import { momentTag, nameOf, type People, personTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { tabAddress } from '../frame.ts';
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
<div class="stack"><h2 id="votes-title">${text.title}</h2><p class="muted small-text">${text.hint}</p></div>
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
<div class="field"><label for="external_id">external_id</label>
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
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="votes-title"><table class="stacked">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.voter}</th><th scope="col">external_id</th><th scope="col">${text.doubled}</th><th scope="col">${text.claim}</th></tr></thead>
<tbody>${page.votes.map((vote) => row(context, guildId, vote, people))}</tbody></table></div>`;
}

function row(context: PageContext, guildId: string, vote: ClaimableVote, people: People): Html {
  const { locale } = context;
  const text = votesMessages[locale];
  const { castAt, userId, externalId, isDoubled } = vote;
  const name =
    externalId === null
      ? '–'
      : html`<a href="${tabAddress(guildId, 'votes')}?external_id=${encodeURIComponent(externalId)}"><bdi class="clamp" title="${externalId}">${externalId}</bdi></a>`;
  return html`<tr data-key="${writePosition(vote)}"><td class="nowrap">${momentTag(castAt, locale)}</td><td>${personTag(locale, people, userId, `${tabAddress(guildId, 'votes')}?user=${userId}`)}</td><td${externalId === null && html` class="no muted"`}>${name}</td><td${!isDoubled && html` class="no muted"`}>${isDoubled ? text.yes : text.no}</td>${claimCell(context, guildId, vote, nameOf(people, userId))}</tr>`;
}

function claimCell(
  { locale, isReadOnly }: PageContext,
  guildId: string,
  vote: ClaimableVote,
  voter: string,
): Html {
  const text = votesMessages[locale];
  if (vote.claimedAt === null) return html`<td class="no muted">${text.notClaimed}</td>`;
  const address = `${releaseAddress(guildId)}?vote=${writePosition(vote)}`;
  return html`<td><span class="nowrap">${momentTag(vote.claimedAt, locale)}</span>
${!isReadOnly && html`<a class="quiet" href="${address}">${text.release}<span class="visually-hidden"> ${text.releaseOf(voter)}</span></a>`}</td>`;
}

function releaseAddress(guildId: string): string {
  return `${tabAddress(guildId, 'votes')}/release`;
}

/** Asks for confirmation. The form contains the time of the claim, so a later claim is not released. */
export function confirmReleaseView(vote: VotePosition, claimedAt: Instant, guildId: string, people: People) {
  return ({ locale, csrfToken }: PageContext): Html => {
    const text = votesMessages[locale].confirm;
    return html`<section class="card" aria-labelledby="confirm">
<h2 id="confirm">${text.title}</h2>
<p>${text.vote} ${momentTag(vote.castAt, locale)}, ${personTag(locale, people, vote.userId)}. ${text.claimed} ${momentTag(claimedAt, locale)}.</p>
<p class="measure"><strong>${text.warning}</strong></p>
<form class="row" method="post" action="${releaseAddress(guildId)}">${csrfField(csrfToken)}<input type="hidden" name="vote" value="${writePosition(vote)}"><input type="hidden" name="claimed_at" value="${formatInstant(claimedAt)}">
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

const en = {
  title: 'Recent votes',
  hint: 'Newest first. All times are UTC.',
  user: 'User id',
  voter: 'User',
  /** Followed by the name of a user. */
  votesBy: 'Votes by',
  filter: 'Filter',
  all: 'Show all votes',
  faults: {
    user: 'A Discord user id has 15 to 20 digits. All votes are shown.',
    both: 'Fill in one of the two fields. All votes are shown.',
  } satisfies Record<'user' | 'both', string>,
  time: 'Time',
  doubled: 'Doubled',
  yes: 'Doubled',
  no: 'No',
  empty: 'No votes yet.',
  emptyFiltered: 'No votes match this filter.',
  claim: 'Claimed',
  notClaimed: 'Not claimed',
  release: 'Release',
  /** For screen readers: which vote. */
  releaseOf: (voter: string) => `the claim of the vote by ${voter}`,
  confirm: {
    title: 'Release this claim?',
    warning:
      'The vote can then be claimed again, and its reward is granted again. Do this only when the reward was not delivered.',
    vote: 'Vote',
    claimed: 'Claimed',
    confirm: 'Release the claim',
    cancel: 'Cancel',
  },
  pages: 'Pagination',
  newer: 'Newer votes',
  older: 'Older votes',
  download: {
    title: 'Download as CSV',
    hint: 'Up to 31 days in UTC, first and last day included. In a spreadsheet, import user_id as text: it has too many digits for a number.',
    onlyThese: (who: Html) => html`Only votes by ${who}, as filtered above.`,
    from: 'From',
    to: 'To',
    action: 'Download CSV',
    faults: {
      INVALID_DATE: 'One of these dates is not valid. Use the format YYYY-MM-DD.',
      INVALID_DATE_RANGE: 'The first day must not be after the last day.',
      DATE_RANGE_TOO_LARGE: 'A download covers at most 31 days. Choose a shorter period.',
    },
  },
};

const votesMessages: Record<Locale, typeof en> = {
  en,
  fr: {
    title: 'Votes récents',
    hint: 'Les plus récents d’abord. Toutes les heures sont en UTC.',
    user: 'Identifiant utilisateur',
    voter: 'Utilisateur',
    votesBy: 'Votes de',
    filter: 'Filtrer',
    all: 'Afficher tous les votes',
    faults: {
      user: 'Un identifiant Discord comporte de 15 à 20 chiffres. Tous les votes sont affichés.',
      both: 'Remplissez un seul des deux champs. Tous les votes sont affichés.',
    },
    time: 'Date et heure',
    doubled: 'Compté double',
    yes: 'Compté double',
    no: 'Non',
    empty: 'Aucun vote pour l’instant.',
    emptyFiltered: 'Aucun vote ne correspond à ce filtre.',
    claim: 'Récompense attribuée',
    notClaimed: 'Non attribuée',
    release: 'Annuler',
    releaseOf: (voter) => `l’attribution de la récompense du vote de ${voter}`,
    confirm: {
      title: 'Annuler cette attribution\u00A0?',
      warning:
        'La récompense de ce vote pourra alors être attribuée une seconde fois. Ne le faites que si elle n’a pas été remise.',
      vote: 'Vote',
      claimed: 'Récompense attribuée',
      confirm: 'Annuler l’attribution',
      cancel: 'Retour',
    },
    pages: 'Pagination',
    newer: 'Votes plus récents',
    older: 'Votes plus anciens',
    download: {
      title: 'Télécharger en CSV',
      hint: 'Jusqu’à 31 jours en UTC, premier et dernier jour compris. Dans un tableur, importez user_id comme du texte\u00A0: il a trop de chiffres pour un nombre.',
      onlyThese: (who) => html`Uniquement les votes de ${who}, selon le filtre ci-dessus.`,
      from: 'Du',
      to: 'Au',
      action: 'Télécharger le CSV',
      faults: {
        INVALID_DATE: 'L’une de ces dates n’est pas valide. Utilisez le format AAAA-MM-JJ.',
        INVALID_DATE_RANGE: 'Le premier jour ne doit pas être postérieur au dernier.',
        DATE_RANGE_TOO_LARGE:
          'Un téléchargement couvre 31 jours au maximum. Choisissez une période plus courte.',
      },
    },
  },
};

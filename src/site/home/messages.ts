import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from '../layout/html.ts';
import type { Sort } from './listing.ts';

type HomeMessages = {
  title: string;
  heading: string;
  lead: string;
  search: string;
  searchHint: string;
  find: string;
  tag: string;
  allTags: string;
  language: string;
  allLanguages: string;
  sortBy: string;
  sorts: Record<Sort, string>;
  found(total: number): string;
  results(search: Html, total: number): Html;
  all: string;
  thisWeek(votes: number, change: number): string;
  added(at: Instant): string;
  voted(wait: string): string;
  votedFor(guild: string, wait: string): string;
  firstPage: string;
  nothingFiltered: string;
  votes(votes: number): string;
  vote: string;
  voteFor(guild: string): string;
  pages: string;
  previous: string;
  next: string;
  page(page: number): string;
  emptyTitle: string;
  emptyText: string;
  emptyAction: string;
  nothingTitle: string;
  nothingText(search: Html): Html;
  endTitle: string;
  endText: string;
  ownersTitle: string;
  ownersText: string;
  ownersAction: string;
  developersTitle: string;
  developersText: string;
  developersAction: string;
};

export const homeMessages: Record<Locale, HomeMessages> = {
  en: {
    title: 'Communities',
    heading: 'Vote for your favorite communities',
    lead: 'One vote per community per hour. Find yours, vote, and help it up the ranking of the month.',
    search: 'Search communities',
    searchHint: 'Community name',
    find: 'Search',
    tag: 'Tag',
    allTags: 'All tags',
    language: 'Language',
    allLanguages: 'All languages',
    sortBy: 'Sort',
    sorts: { votes: 'Most votes', trending: 'Trending', new: 'New' },
    found: (total) => (total === 1 ? '1 community' : `${count('en', total)} communities`),
    results: (search, total) =>
      html`${total === 1 ? '1 result' : `${count('en', total)} results`} for <strong>“${search}”</strong>`,
    all: 'Show all communities',
    thisWeek: (votes, change) =>
      `${votes === 1 ? '1 vote' : `${count('en', votes)} votes`} this week (${signed('en', change)})`,
    added: (at) => `Added ${day('en', at)}`,
    voted: (wait) => `Vote in ${wait}`,
    votedFor: (guild, wait) => `Vote in ${wait} for ${guild}`,
    firstPage: 'Go to the first page',
    nothingFiltered: 'No community matches these filters.',
    votes: (votes) => (votes === 1 ? '1 vote' : `${count('en', votes)} votes`),
    vote: 'Vote',
    voteFor: (guild) => `Vote for ${guild}`,
    pages: 'Pagination',
    previous: 'Previous',
    next: 'Next',
    page: (page) => `Page ${count('en', page)}`,
    emptyTitle: 'No communities yet',
    emptyText:
      'Be the first: list your community from the dashboard, and its voting page is ready immediately.',
    emptyAction: 'List my community',
    nothingTitle: 'No results',
    nothingText: (search) =>
      html`No community name contains <strong>“${search}”</strong>. Try a shorter search.`,
    endTitle: 'This page does not exist',
    endText: 'The list is shorter than that. Go back to the first page.',
    ownersTitle: 'Run a community?',
    ownersText: 'Get your API key, vote links and statistics.',
    ownersAction: 'Open the dashboard',
    developersTitle: 'Building a bot or a website?',
    developersText: 'Check a vote with one request and reward it your way.',
    developersAction: 'Read the API guide',
  },
  fr: {
    title: 'Communautés',
    heading: 'Votez pour vos communautés préférées',
    lead: 'Un vote par heure et par communauté. Trouvez la vôtre, votez et faites-la monter dans le classement du mois.',
    search: 'Rechercher une communauté',
    searchHint: 'Nom de la communauté',
    find: 'Rechercher',
    tag: 'Tag',
    allTags: 'Tous les tags',
    language: 'Langue',
    allLanguages: 'Toutes les langues',
    sortBy: 'Tri',
    sorts: { votes: 'Plus de votes', trending: 'Tendances', new: 'Nouveautés' },
    found: (total) => (total < 2 ? `${total} communauté` : `${count('fr', total)} communautés`),
    results: (search, total) =>
      html`${total < 2 ? `${total} résultat` : `${count('fr', total)} résultats`} pour <strong>«\u00A0${search}\u00A0»</strong>`,
    all: 'Afficher toutes les communautés',
    thisWeek: (votes, change) =>
      `${votes < 2 ? `${votes} vote` : `${count('fr', votes)} votes`} cette semaine (${signed('fr', change)})`,
    added: (at) => `Ajoutée le ${day('fr', at)}`,
    voted: (wait) => `Vote dans ${wait}`,
    votedFor: (guild, wait) => `Vote dans ${wait} pour ${guild}`,
    firstPage: 'Aller à la première page',
    nothingFiltered: 'Aucune communauté ne correspond à ces filtres.',
    votes: (votes) => (votes < 2 ? `${votes} vote` : `${count('fr', votes)} votes`),
    vote: 'Voter',
    voteFor: (guild) => `Voter pour ${guild}`,
    pages: 'Pagination',
    previous: 'Précédent',
    next: 'Suivant',
    page: (page) => `Page ${count('fr', page)}`,
    emptyTitle: 'Aucune communauté pour l’instant',
    emptyText:
      'Référencez la première depuis le tableau de bord\u00A0: sa page de vote est prête immédiatement.',
    emptyAction: 'Référencer ma communauté',
    nothingTitle: 'Aucun résultat',
    nothingText: (search) =>
      html`Aucun nom de communauté ne contient <strong>«\u00A0${search}\u00A0»</strong>. Essayez une recherche plus courte.`,
    endTitle: 'Cette page n’existe pas',
    endText: 'La liste est plus courte. Revenez à la première page.',
    ownersTitle: 'Vous gérez une communauté\u00A0?',
    ownersText: 'Obtenez votre clé API, vos liens de vote et vos statistiques.',
    ownersAction: 'Ouvrir le tableau de bord',
    developersTitle: 'Vous développez un bot ou un site\u00A0?',
    developersText: 'Vérifiez un vote en une seule requête et récompensez-le à votre façon.',
    developersAction: 'Lire le guide de l’API',
  },
};

function count(locale: Locale, value: number): string {
  return NUMBERS[locale].format(value);
}

/** Created once: a page formats dozens of values. */
const NUMBERS = { en: new Intl.NumberFormat('en'), fr: new Intl.NumberFormat('fr') };
const CHANGES = {
  en: new Intl.NumberFormat('en', { signDisplay: 'exceptZero' }),
  fr: new Intl.NumberFormat('fr', { signDisplay: 'exceptZero' }),
};
const DAYS = {
  en: new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }),
  fr: new Intl.DateTimeFormat('fr', { dateStyle: 'medium', timeZone: 'UTC' }),
};
const MINUTES = {
  en: new Intl.NumberFormat('en', { style: 'unit', unit: 'minute', unitDisplay: 'short' }),
  fr: new Intl.NumberFormat('fr', { style: 'unit', unit: 'minute', unitDisplay: 'short' }),
};

function signed(locale: Locale, value: number): string {
  return CHANGES[locale].format(value);
}

function day(locale: Locale, instant: Instant): string {
  return DAYS[locale].format(instant);
}

export function shortMinutes(locale: Locale, milliseconds: number): string {
  return MINUTES[locale].format(Math.ceil(milliseconds / MINUTE_MS));
}

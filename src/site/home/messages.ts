import type { Instant } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import { formatDay, formatDifference, formatNumber } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import type { Sort } from './listing.ts';

const en = {
  title: 'Communities',
  heading: 'Vote for your favorite communities',
  lead: 'Discover Discord communities, and vote once an hour to help your favorites climb this month’s ranking.',
  search: 'Search communities',
  searchHint: 'Name, tag or word',
  find: 'Search',
  tag: 'Tag',
  allTags: 'All tags',
  language: 'Language',
  allLanguages: 'All languages',
  sortBy: 'Sort',
  sorts: { votes: 'Most votes', trending: 'Trending', new: 'New' } satisfies Record<Sort, string>,
  found: (total: number) => (total === 1 ? '1 community' : `${formatNumber(total, 'en')} communities`),
  results: (search: Html, total: number) =>
    html`${total === 1 ? '1 result' : `${formatNumber(total, 'en')} results`} for <strong>“${search}”</strong>`,
  all: 'Show all communities',
  thisWeek: (votes: number, change: number) =>
    `${votes === 1 ? '1 vote' : `${formatNumber(votes, 'en')} votes`} this week (${formatDifference(change, 'en')})`,
  added: (at: Instant) => `Added ${formatDay(at, 'en')}`,
  voted: (wait: string) => `Vote in ${wait}`,
  votedFor: (guild: string, wait: string) => `Vote in ${wait} for ${guild}`,
  firstPage: 'Go to the first page',
  nothingFiltered: 'No community matches these filters.',
  votes: (votes: number) => (votes === 1 ? '1 vote' : `${formatNumber(votes, 'en')} votes`),
  vote: 'Vote',
  voteFor: (guild: string) => `Vote for ${guild}`,
  pages: 'Pagination',
  previous: 'Previous',
  next: 'Next',
  page: (page: number) => `Page ${formatNumber(page, 'en')}`,
  emptyTitle: 'No communities yet',
  emptyText:
    'Be the first: list your community from the dashboard, and its voting page is ready immediately.',
  emptyAction: 'List my community',
  nothingTitle: 'No results',
  nothingText: (search: Html) =>
    html`No community has these words in its name, tags or description: <strong>“${search}”</strong>. Try fewer words.`,
  endTitle: 'This page does not exist',
  endText: 'The list is shorter than that. Go back to the first page.',
  ownersTitle: 'Run a community?',
  ownersText: 'Get your API key, vote links and statistics.',
  ownersAction: 'Open the dashboard',
  developersTitle: 'Building a bot or a website?',
  developersText: 'Check a vote with one request and reward it your way.',
  developersAction: 'Read the API documentation',
};

const fr: typeof en = {
  title: 'Communautés',
  heading: 'Votez pour vos communautés préférées',
  lead: 'Découvrez des communautés Discord et votez une fois par heure pour faire monter vos préférées dans le classement du mois.',
  search: 'Rechercher une communauté',
  searchHint: 'Nom, tag ou mot',
  find: 'Rechercher',
  tag: 'Tag',
  allTags: 'Tous les tags',
  language: 'Langue',
  allLanguages: 'Toutes les langues',
  sortBy: 'Tri',
  sorts: { votes: 'Les plus votées', trending: 'Tendances', new: 'Nouveautés' },
  found: (total) => (total < 2 ? `${total} communauté` : `${formatNumber(total, 'fr')} communautés`),
  results: (search, total) =>
    html`${total < 2 ? `${total} résultat` : `${formatNumber(total, 'fr')} résultats`} pour <strong>«\u00A0${search}\u00A0»</strong>`,
  all: 'Afficher toutes les communautés',
  thisWeek: (votes, change) =>
    `${votes < 2 ? `${votes} vote` : `${formatNumber(votes, 'fr')} votes`} cette semaine (${formatDifference(change, 'fr')})`,
  added: (at) => `Ajoutée le ${formatDay(at, 'fr')}`,
  voted: (wait) => `Vote dans ${wait}`,
  votedFor: (guild, wait) => `Vote dans ${wait} pour ${guild}`,
  firstPage: 'Aller à la première page',
  nothingFiltered: 'Aucune communauté ne correspond à ces filtres.',
  votes: (votes) => (votes < 2 ? `${votes} vote` : `${formatNumber(votes, 'fr')} votes`),
  vote: 'Voter',
  voteFor: (guild) => `Voter pour ${guild}`,
  pages: 'Pagination',
  previous: 'Précédent',
  next: 'Suivant',
  page: (page) => `Page ${formatNumber(page, 'fr')}`,
  emptyTitle: 'Aucune communauté pour l’instant',
  emptyText:
    'Référencez la première depuis le tableau de bord\u00A0: sa page de vote est prête immédiatement.',
  emptyAction: 'Référencer ma communauté',
  nothingTitle: 'Aucun résultat',
  nothingText: (search) =>
    html`Aucune communauté n’a ces mots dans son nom, ses tags ou sa description\u00A0: <strong>«\u00A0${search}\u00A0»</strong>. Essayez avec moins de mots.`,
  endTitle: 'Cette page n’existe pas',
  endText: 'La liste est plus courte. Revenez à la première page.',
  ownersTitle: 'Vous gérez une communauté\u00A0?',
  ownersText: 'Obtenez votre clé API, vos liens de vote et vos statistiques.',
  ownersAction: 'Ouvrir le tableau de bord',
  developersTitle: 'Vous développez un bot ou un site\u00A0?',
  developersText: 'Vérifiez un vote en une seule requête et récompensez-le à votre façon.',
  developersAction: 'Lire la documentation de l’API',
};

export const homeMessages: Record<Locale, typeof en> = { en, fr };

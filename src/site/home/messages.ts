import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from '../layout/html.ts';

type HomeMessages = {
  title: string;
  heading: string;
  lead: string;
  search: string;
  searchHint: string;
  find: string;
  results(search: Html): Html;
  all: string;
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
    lead: 'One vote per community per hour. Ranked by votes this month.',
    search: 'Search communities',
    searchHint: 'Community name',
    find: 'Search',
    results: (search) => html`Results for <strong>“${search}”</strong>`,
    all: 'Show all communities',
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
    lead: 'Un vote par heure et par communauté. Classement selon les votes du mois.',
    search: 'Rechercher une communauté',
    searchHint: 'Nom de la communauté',
    find: 'Rechercher',
    results: (search) => html`Résultats pour <strong>«\u00A0${search}\u00A0»</strong>`,
    all: 'Afficher toutes les communautés',
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
  return new Intl.NumberFormat(locale).format(value);
}

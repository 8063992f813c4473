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
    heading: 'Vote for your favourite communities',
    lead: 'One vote an hour for each. Ranked by votes this month.',
    search: 'Search communities',
    searchHint: 'Name of a community',
    find: 'Search',
    results: (search) => html`Communities named like <strong>“${search}”</strong>`,
    all: 'Show all communities',
    votes: (votes) => (votes === 1 ? '1 vote' : `${count('en', votes)} votes`),
    vote: 'Vote',
    voteFor: (guild) => `Vote for ${guild}`,
    pages: 'Pages of the list',
    previous: 'Previous',
    next: 'Next',
    page: (page) => `Page ${count('en', page)}`,
    emptyTitle: 'No communities yet',
    emptyText:
      'The first one could be yours: list it from the dashboard, and its voting page is ready at once.',
    emptyAction: 'List my community',
    nothingTitle: 'Nothing found',
    nothingText: (search) =>
      html`No community has a name like <strong>“${search}”</strong>. Try fewer letters.`,
    endTitle: 'The list ends before this page',
    endText: 'Go back to its beginning.',
    ownersTitle: 'You run a community?',
    ownersText: 'Get your API key, your vote links and your figures.',
    ownersAction: 'Open the dashboard',
    developersTitle: 'You build a bot or a site?',
    developersText: 'Check a vote with one request, and reward it your way.',
    developersAction: 'Read the API guide',
  },
  fr: {
    title: 'Communautés',
    heading: 'Votez pour vos communautés préférées',
    lead: 'Un vote par heure pour chacune. Classement selon les votes du mois.',
    search: 'Rechercher une communauté',
    searchHint: 'Nom d’une communauté',
    find: 'Rechercher',
    results: (search) => html`Communautés dont le nom contient <strong>« ${search} »</strong>`,
    all: 'Afficher toutes les communautés',
    votes: (votes) => (votes < 2 ? `${votes} vote` : `${count('fr', votes)} votes`),
    vote: 'Voter',
    voteFor: (guild) => `Voter pour ${guild}`,
    pages: 'Pages de la liste',
    previous: 'Précédent',
    next: 'Suivant',
    page: (page) => `Page ${count('fr', page)}`,
    emptyTitle: 'Aucune communauté pour l’instant',
    emptyText:
      'La première pourrait être la vôtre : référencez-la depuis le tableau de bord, et sa page de vote est prête aussitôt.',
    emptyAction: 'Référencer ma communauté',
    nothingTitle: 'Aucun résultat',
    nothingText: (search) =>
      html`Aucun nom de communauté ne contient <strong>« ${search} »</strong>. Essayez avec moins de lettres.`,
    endTitle: 'La liste se termine avant cette page',
    endText: 'Revenez à son début.',
    ownersTitle: 'Vous gérez une communauté ?',
    ownersText: 'Obtenez votre clé d’API, vos liens de vote et vos statistiques.',
    ownersAction: 'Ouvrir le tableau de bord',
    developersTitle: 'Vous développez un bot ou un site ?',
    developersText: 'Vérifiez un vote en une seule requête et récompensez-le à votre façon.',
    developersAction: 'Lire le guide de l’API',
  },
};

function count(locale: Locale, value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}

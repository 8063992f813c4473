import type { Locale } from '../../../domain/locale.ts';

type OverviewMessages = {
  today: string;
  todayHint: string;
  month: string;
  doubled: string;
  doubledHint: string;
  lastVote: string;
  never: string;
  neverHint: string;
  chart: string;
  chartHint: string;
  loading: string;
  chartFailed: string;
  asTable: string;
  tableCaption: string;
  day: string;
  votes: string;
  ofThemDoubled: string;
  topVoters: string;
  topVotersOf: (month: string) => string;
  rank: string;
  user: string;
  noVoters: string;
  empty: { title: string; text: string; action: string };
};

export const overviewMessages: Record<Locale, OverviewMessages> = {
  en: {
    today: 'Votes today',
    todayHint: 'since midnight UTC',
    month: 'Votes this month',
    doubled: 'Doubled',
    doubledHint: 'of this month’s votes',
    lastVote: 'Last vote',
    never: 'None yet',
    neverHint: 'the first vote will appear here',
    chart: 'Votes per day',
    chartHint: 'Last 31 days, UTC',
    loading: 'Loading the chart…',
    chartFailed: 'The chart could not be loaded. The table below shows the same data.',
    asTable: 'Show as a table',
    tableCaption: 'Votes per day over the last 31 days, UTC',
    day: 'Day',
    votes: 'Votes',
    ofThemDoubled: 'Doubled',
    topVoters: 'Top voters',
    topVotersOf: (month) => `${month}, UTC`,
    rank: 'Rank',
    user: 'User',
    noVoters: 'No votes this month yet.',
    empty: {
      title: 'No votes yet',
      text: 'Share the vote link with your members. Reload this page to see new votes.',
      action: 'Get the vote links',
    },
  },
  fr: {
    today: 'Votes aujourd’hui',
    todayHint: 'depuis minuit UTC',
    month: 'Votes ce mois-ci',
    doubled: 'Comptés double',
    doubledHint: 'parmi les votes du mois',
    lastVote: 'Dernier vote',
    never: 'Aucun',
    neverHint: 'le premier vote apparaîtra ici',
    chart: 'Votes par jour',
    chartHint: 'Les 31 derniers jours, UTC',
    loading: 'Chargement du graphique…',
    chartFailed: 'Le graphique n’a pas pu être chargé. Le tableau ci-dessous contient les mêmes données.',
    asTable: 'Afficher sous forme de tableau',
    tableCaption: 'Votes par jour sur les 31 derniers jours, UTC',
    day: 'Jour',
    votes: 'Votes',
    ofThemDoubled: 'Comptés double',
    topVoters: 'Meilleurs votants',
    topVotersOf: (month) => `${month}, UTC`,
    rank: 'Rang',
    user: 'Utilisateur',
    noVoters: 'Aucun vote ce mois-ci pour l’instant.',
    empty: {
      title: 'Aucun vote pour l’instant',
      text: 'Partagez le lien de vote avec vos membres. Rechargez cette page pour voir les nouveaux votes.',
      action: 'Obtenir les liens de vote',
    },
  },
};

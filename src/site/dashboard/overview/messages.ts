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
    neverHint: 'the first one shows up here at once',
    chart: 'Votes a day',
    chartHint: 'The last 31 days, UTC',
    loading: 'Drawing the chart…',
    chartFailed: 'The chart could not be drawn. The table below has the same figures.',
    asTable: 'Show as a table',
    tableCaption: 'Votes on each of the last 31 days, UTC',
    day: 'Day',
    votes: 'Votes',
    ofThemDoubled: 'Doubled',
    topVoters: 'Top voters',
    topVotersOf: (month) => `${month}, UTC`,
    rank: 'Rank',
    user: 'User',
    noVoters: 'Nobody has voted this month yet.',
    empty: {
      title: 'No votes yet',
      text: 'Share the vote link with your members. Their votes appear here the moment they are cast.',
      action: 'Get the vote links',
    },
  },
  fr: {
    today: 'Votes aujourd’hui',
    todayHint: 'depuis minuit UTC',
    month: 'Votes ce mois-ci',
    doubled: 'Doublés',
    doubledHint: 'parmi les votes du mois',
    lastVote: 'Dernier vote',
    never: 'Aucun',
    neverHint: 'le premier apparaîtra ici aussitôt',
    chart: 'Votes par jour',
    chartHint: 'Les 31 derniers jours, UTC',
    loading: 'Tracé du graphique…',
    chartFailed: 'Le graphique n’a pas pu être tracé. Le tableau ci-dessous contient les mêmes chiffres.',
    asTable: 'Afficher sous forme de tableau',
    tableCaption: 'Votes de chacun des 31 derniers jours, UTC',
    day: 'Jour',
    votes: 'Votes',
    ofThemDoubled: 'Comptés double',
    topVoters: 'Meilleurs votants',
    topVotersOf: (month) => `${month}, UTC`,
    rank: 'Rang',
    user: 'Utilisateur',
    noVoters: 'Personne n’a encore voté ce mois-ci.',
    empty: {
      title: 'Aucun vote pour l’instant',
      text: 'Partagez le lien de vote avec vos membres. Leurs votes apparaissent ici dès qu’ils sont émis.',
      action: 'Obtenir les liens de vote',
    },
  },
};

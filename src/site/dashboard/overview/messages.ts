import type { Locale } from '../../../domain/locale.ts';

const en = {
  today: 'Votes today',
  todayHint: (yesterday: string) => `since midnight UTC; yesterday: ${yesterday}`,
  month: 'Votes this month',
  lastMonth: 'Votes last month',
  byThisTime: (votes: string, month: string) => `${votes} by this time in ${month}`,
  doubled: 'Doubled',
  doubledHint: 'of this month’s votes',
  lastVote: 'Last vote',
  never: 'None yet',
  neverHint: 'the first vote will appear here',
  chart: 'Votes per day',
  hours: 'Votes by hour of the day',
  rangeHint: (days: number) => `Last ${days} days, UTC`,
  ranges: 'Period',
  days: (days: number) => `${days} days`,
  /** For screen readers; `most` is the title of the highest bar. */
  summary: (title: string, total: string, most: string) => `${title}. Total: ${total}. Highest: ${most}.`,
  barTitle: (name: string, votes: string, doubled: string) =>
    `${name}: ${votes} ${votes === '1' ? 'vote' : 'votes'}, ${doubled} doubled`,
  asTable: 'Show as a table',
  day: 'Day',
  hour: 'Hour (UTC)',
  votes: 'Votes',
  ofThemDoubled: 'Doubled',
  topVoters: 'Top voters',
  topVotersOf: (month: string) => `${month}, UTC`,
  rank: 'Rank',
  user: 'User',
  noVoters: 'No votes this month yet.',
  empty: {
    title: 'No votes yet',
    text: 'Share the vote link with your members. Their votes appear on this page.',
    action: 'Get the vote links',
  },
  /** `disabledSince` and `failingSince` are followed by a time. */
  failing: {
    title: 'Events are not being delivered.',
    disabledSince: 'disabled since',
    failingSince: 'failing since',
    action: 'Check the webhooks',
  },
};

/** French also uses the singular for zero. */
function isSingular(count: string): boolean {
  return count === '0' || count === '1';
}

const fr: typeof en = {
  today: 'Votes aujourd’hui',
  todayHint: (yesterday) => `depuis minuit UTC\u00A0; hier\u00A0: ${yesterday}`,
  month: 'Votes ce mois-ci',
  lastMonth: 'Votes le mois dernier',
  byThisTime: (votes, month) => `${votes} à la même date en ${month}`,
  doubled: 'Récompenses doublées',
  doubledHint: 'parmi les votes du mois',
  lastVote: 'Dernier vote',
  never: 'Aucun',
  neverHint: 'le premier vote apparaîtra ici',
  chart: 'Votes par jour',
  hours: 'Votes par heure de la journée',
  rangeHint: (days) => `Les ${days} derniers jours, UTC`,
  ranges: 'Période',
  days: (days) => `${days} jours`,
  summary: (title, total, most) => `${title}. Total\u00A0: ${total}. Maximum\u00A0: ${most}.`,
  barTitle: (name, votes, doubled) =>
    `${name}\u00A0: ${votes} ${isSingular(votes) ? 'vote' : 'votes'}, dont ${doubled} à récompense doublée`,
  asTable: 'Afficher sous forme de tableau',
  day: 'Jour',
  hour: 'Heure (UTC)',
  votes: 'Votes',
  ofThemDoubled: 'Récompenses doublées',
  topVoters: 'Top votants',
  topVotersOf: (month) => `${month}, UTC`,
  rank: 'Rang',
  user: 'Utilisateur',
  noVoters: 'Aucun vote ce mois-ci pour l’instant.',
  empty: {
    title: 'Aucun vote pour l’instant',
    text: 'Partagez le lien de vote avec vos membres. Leurs votes apparaissent sur cette page.',
    action: 'Obtenir les liens de vote',
  },
  failing: {
    title: 'Des événements n’arrivent pas à destination.',
    disabledSince: 'désactivé depuis le',
    failingSince: 'en échec depuis le',
    action: 'Vérifier les webhooks',
  },
};

export const overviewMessages: Record<Locale, typeof en> = { en, fr };

import type { Locale } from '../../../domain/locale.ts';

const en = {
  /** `before`: the votes of the period before, and its month. `series`: what the sparkline shows, with its highest value. */
  tiles: {
    today: {
      name: 'Votes today',
      before: (votes: string) => `${votes} by this time yesterday, UTC`,
      series: (highest: string) => `Votes per hour in the last 24 hours, at most ${highest}`,
    },
    week: {
      name: 'Votes in 7 days',
      before: (votes: string) => `${votes} in the 7 days before`,
      series: (highest: string) => `Votes per day in the last 7 days, at most ${highest}`,
    },
    month: {
      name: 'Votes this month',
      before: (votes: string, month: string) => `${votes} by this time in ${month}`,
      series: (highest: string) => `Votes per day this month, at most ${highest}`,
    },
    lastMonth: {
      name: 'Votes last month',
      before: (votes: string, month: string) => `${votes} in ${month}`,
      series: (highest: string) => `Votes per month in the 12 months before this one, at most ${highest}`,
    },
  },
  doubled: 'Doubled',
  doubledHint: 'of this month’s votes',
  lastVote: 'Last vote',
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
  tiles: {
    today: {
      name: 'Votes aujourd’hui',
      before: (votes) => `${votes} hier à la même heure, UTC`,
      series: (highest) => `Votes par heure sur les dernières 24 heures, au plus ${highest}`,
    },
    week: {
      name: 'Votes en 7 jours',
      before: (votes) => `${votes} les 7 jours précédents`,
      series: (highest) => `Votes par jour sur les 7 derniers jours, au plus ${highest}`,
    },
    month: {
      name: 'Votes ce mois-ci',
      before: (votes, month) => `${votes} à la même date en ${month}`,
      series: (highest) => `Votes par jour ce mois-ci, au plus ${highest}`,
    },
    lastMonth: {
      name: 'Votes le mois dernier',
      before: (votes, month) => `${votes} en ${month}`,
      series: (highest) => `Votes par mois sur les 12 mois précédents, au plus ${highest}`,
    },
  },
  doubled: 'Récompenses doublées',
  doubledHint: 'parmi les votes du mois',
  lastVote: 'Dernier vote',
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

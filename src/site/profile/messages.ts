import type { Locale } from '../../domain/locale.ts';
import { formatNumber } from '../layout/format.ts';

const en = {
  /** For search engines, if the community has no description. */
  description: (guild: string) => `Vote for ${guild}, and see its votes, its rank and its top voters.`,
  vote: 'Vote',
  join: 'Join on Discord',
  /** Before a tag, for screen readers. */
  tag: 'Tag:',
  language: 'Language:',
  thisMonth: 'Votes this month',
  lastMonth: 'Votes last month',
  rank: 'Rank this month',
  ranked: (rank: string) => `#${rank}`,
  rankHint: (communities: string) => `of ${communities}`,
  notRanked: '–',
  notRankedHint: 'Not in the public listing',
  chart: 'Votes per month',
  chartHint: 'Up to twelve months, UTC.',
  /** The chart in words. */
  chartText: (first: string, last: string, best: string, votes: string) =>
    `Votes per month from ${first} to ${last}. Best month: ${best}, with ${votes}.`,
  /** One month of the chart. */
  bar: (month: string, votes: string) => `${month}: ${votes}`,
  chartEmpty: 'No votes in the last twelve months.',
  asTable: 'Show as a table',
  month: 'Month',
  votes: 'Votes',
  leadersOf: (month: string) => `Top voters in ${month}`,
  place: 'Rank',
  voter: 'Voter',
  anonymousVoters: (voters: number) =>
    voters === 1 ? '1 anonymous voter' : `${formatNumber(voters, 'en')} anonymous voters`,
  about: 'About',
  links: 'Links',
  noVotes: 'No votes this month.',
  unlisted: 'This community is not in the public listing.',
};

const fr: typeof en = {
  description: (guild) => `Votez pour ${guild} et découvrez ses votes, son rang et ses meilleurs votants.`,
  vote: 'Voter',
  join: 'Rejoindre sur Discord',
  tag: 'Tag\u00A0:',
  language: 'Langue\u00A0:',
  thisMonth: 'Votes ce mois-ci',
  lastMonth: 'Votes le mois dernier',
  rank: 'Rang ce mois-ci',
  ranked: (rank) => `n°\u00A0${rank}`,
  rankHint: (communities) => `sur ${communities}`,
  notRanked: '–',
  notRankedHint: 'Hors de la liste publique',
  chart: 'Votes par mois',
  chartHint: 'Douze mois au maximum, UTC.',
  chartText: (first, last, best, votes) =>
    `Votes par mois, ${first} – ${last}. Meilleur mois\u00A0: ${best}, avec ${votes}.`,
  bar: (month, votes) => `${month}\u00A0: ${votes}`,
  chartEmpty: 'Aucun vote ces douze derniers mois.',
  asTable: 'Afficher sous forme de tableau',
  month: 'Mois',
  votes: 'Votes',
  // « d’août », « d’avril », « d’octobre ».
  leadersOf: (month) => `Top votants ${/^[ao]/.test(month) ? 'd’' : 'de '}${month}`,
  place: 'Rang',
  voter: 'Votant',
  anonymousVoters: (voters) =>
    voters === 1 ? '1 votant anonyme' : `${formatNumber(voters, 'fr')} votants anonymes`,
  about: 'À propos',
  links: 'Liens',
  noVotes: 'Aucun vote ce mois-là.',
  unlisted: 'Cette communauté ne figure pas dans la liste publique.',
};

export const profileMessages: Record<Locale, typeof en> = { en, fr };

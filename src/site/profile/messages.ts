import type { Language } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';

type ProfileMessages = {
  /** For search engines, where the community says nothing about itself. */
  description(guild: string): string;
  vote: string;
  join: string;
  /** Before a tag, for screen readers. */
  tag: string;
  language: string;
  thisMonth: string;
  lastMonth: string;
  rank: string;
  ranked(rank: string): string;
  rankHint(communities: string): string;
  notRanked: string;
  notRankedHint: string;
  chart: string;
  chartHint: string;
  /** The chart in words. */
  chartText(first: string, last: string, best: string, votes: string): string;
  /** One month of the chart. */
  bar(month: string, votes: string): string;
  chartEmpty: string;
  asTable: string;
  month: string;
  votes: string;
  leadersOf(month: string): string;
  place: string;
  voter: string;
  anonymous: string;
  noVotes: string;
  unlisted: string;
};

export const profileMessages: Record<Locale, ProfileMessages> = {
  en: {
    description: (guild) => `Vote for ${guild}, and see its votes, its rank and its top voters.`,
    vote: 'Vote',
    join: 'Join on Discord',
    tag: 'Tag:',
    language: 'Language:',
    thisMonth: 'Votes this month',
    lastMonth: 'Votes last month',
    rank: 'Rank this month',
    ranked: (rank) => `#${rank}`,
    rankHint: (communities) => `of ${communities}`,
    notRanked: '–',
    notRankedHint: 'Not in the public listing',
    chart: 'Votes per month',
    chartHint: 'The last twelve months, UTC.',
    chartText: (first, last, best, votes) =>
      `Votes per month from ${first} to ${last}. Best month: ${best}, with ${votes}.`,
    bar: (month, votes) => `${month}: ${votes}`,
    chartEmpty: 'No votes in the last twelve months.',
    asTable: 'Show as a table',
    month: 'Month',
    votes: 'Votes',
    leadersOf: (month) => `Top voters in ${month}`,
    place: 'Rank',
    voter: 'Voter',
    anonymous: 'Anonymous voter',
    noVotes: 'No votes in this month.',
    unlisted: 'This community is not in the public listing.',
  },
  fr: {
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
    chartHint: 'Les douze derniers mois, UTC.',
    chartText: (first, last, best, votes) =>
      `Votes par mois, de ${first} à ${last}. Meilleur mois\u00A0: ${best}, avec ${votes}.`,
    bar: (month, votes) => `${month}\u00A0: ${votes}`,
    chartEmpty: 'Aucun vote ces douze derniers mois.',
    asTable: 'Afficher sous forme de tableau',
    month: 'Mois',
    votes: 'Votes',
    leadersOf: (month) => `Meilleurs votants, ${month}`,
    place: 'Rang',
    voter: 'Votant',
    anonymous: 'Votant anonyme',
    noVotes: 'Aucun vote ce mois-là.',
    unlisted: 'Cette communauté ne figure pas dans la liste publique.',
  },
};

/** Created on first use: they take a while to load. */
const names = new Map<Locale, Intl.DisplayNames>();

/** The name of a language in the language of the page, as it starts a line. */
export function languageName(language: Language, locale: Locale): string {
  const known = names.get(locale) ?? new Intl.DisplayNames(locale, { type: 'language' });
  names.set(locale, known);
  const name = known.of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

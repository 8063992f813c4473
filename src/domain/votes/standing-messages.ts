/** How a voter stands in a guild, in words: the same on the voting page and in the Discord app. */
import type { Locale } from '../locale.ts';
import type { Standing } from './standing.ts';

const en = {
  totals: (votes: string, days: string) => `Your votes: ${votes}. Days in a row: ${days}.`,
  streak: (days: string, count: number) => (count === 1 ? '1 day' : `${days} days in a row`),
  rank: (rank: string) => `Your rank this month: ${rank}.`,
  next: (votes: string, rank: string, count: number) =>
    count === 1 ? `1 more vote to rank ${rank} this month` : `${votes} more votes to rank ${rank} this month`,
  first: 'You have the most votes this month',
};

const fr: typeof en = {
  totals: (votes, days) => `Vos votes\u00A0: ${votes}. Jours d’affilée\u00A0: ${days}.`,
  streak: (days, count) => (count < 2 ? `${days} jour` : `${days} jours d’affilée`),
  rank: (rank) => `Votre rang ce mois-ci\u00A0: ${rank}.`,
  next: (votes, rank, count) =>
    count === 1
      ? `Encore 1 vote pour le rang ${rank} ce mois-ci`
      : `Encore ${votes} votes pour le rang ${rank} ce mois-ci`,
  first: 'Vous avez le plus de votes ce mois-ci',
};

const messages: Record<Locale, typeof en> = { en, fr };

/** `rank` and `progress`, the way to the next rank, are null for a voter without a rank. */
export type StandingText = { totals: string; streak: string; rank: string | null; progress: string | null };

export function standingText(locale: Locale, standing: Standing): StandingText {
  const text = messages[locale];
  const number = (value: number) => value.toLocaleString(locale);
  const { totalVotes, streakDays, rank, next } = standing;
  const way = next ? text.next(number(next.votes), number(next.rank), next.votes) : text.first;
  return {
    totals: text.totals(number(totalVotes), number(streakDays)),
    streak: text.streak(number(streakDays), streakDays),
    rank: rank === null ? null : text.rank(number(rank)),
    progress: rank === null ? null : way,
  };
}

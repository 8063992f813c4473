import type { Locale } from '../../domain/locale.ts';
import type { GoalPeriod } from '../../domain/votes/goal.ts';
import type { Html } from '../layout/html.ts';
import { html } from '../layout/html.ts';

const en = {
  titles: {
    day: 'Goal for today',
    week: 'Goal for this week',
    month: 'Goal for this month',
    party: 'Next vote party',
  } satisfies Record<GoalPeriod, string>,
  progress: (votes: string, target: string) => `${votes} / ${target}`,
  remaining: (votes: string, count: number) =>
    count === 1 ? `${votes} more vote to go.` : `${votes} more votes to go.`,
  reached: 'Goal reached. Thank you!',
  /** The progress for a badge and a card, after the figures. */
  of: {
    day: 'votes today',
    week: 'votes this week',
    month: 'votes this month',
    party: 'votes to the party',
  } satisfies Record<GoalPeriod, string>,
  resets: (when: Html) => html`Counted until ${when}.`,
  /** In a log. */
  summary: {
    day: (votes: string) => `${votes} per day`,
    week: (votes: string) => `${votes} per week`,
    month: (votes: string) => `${votes} per month`,
    party: (votes: string) => `vote party every ${votes}`,
  } satisfies Record<GoalPeriod, (votes: string) => string>,
  none: 'no goal',
};

const fr: typeof en = {
  titles: {
    day: 'Objectif du jour',
    week: 'Objectif de la semaine',
    month: 'Objectif du mois',
    party: 'Prochaine fête des votes',
  },
  progress: (votes, target) => `${votes} / ${target}`,
  remaining: (votes, count) => (count < 2 ? `Plus que ${votes} vote.` : `Plus que ${votes} votes.`),
  reached: 'Objectif atteint. Merci\u00A0!',
  of: {
    day: 'votes du jour',
    week: 'votes de la semaine',
    month: 'votes du mois',
    party: 'votes avant la fête',
  },
  resets: (when) => html`Décompte jusqu’au ${when}.`,
  summary: {
    day: (votes) => `${votes} par jour`,
    week: (votes) => `${votes} par semaine`,
    month: (votes) => `${votes} par mois`,
    party: (votes) => `fête des votes tous les ${votes} votes`,
  },
  none: 'aucun objectif',
};

export const goalMessages: Record<Locale, typeof en> = { en, fr };

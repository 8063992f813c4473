import type { Locale } from '../../../domain/locale.ts';
import type { GoalPeriod } from '../../../domain/votes/goal.ts';

const en = {
  title: 'Goal',
  lead: 'A number of votes for the whole community. Visitors see the progress on your profile and voting page. Each time it is reached, the event “Goal reached” is sent once to your webhooks and Discord channels.',
  every: 'Count votes',
  periods: {
    none: 'No goal',
    day: 'Every day (UTC)',
    week: 'Every week, from Monday (UTC)',
    month: 'Every month (UTC)',
    party: 'Vote party: starts again at zero each time',
  } satisfies Record<GoalPeriod | 'none', string>,
  votes: 'Votes to reach',
  votesHint:
    'A doubled vote counts once. If there are already enough votes, the goal starts with the next day, week or month.',
  badge: 'As an image for your website:',
};

const fr: typeof en = {
  title: 'Objectif',
  lead: 'Un nombre de votes pour toute la communauté. Les visiteurs voient la progression sur votre profil et votre page de vote. Chaque fois qu’il est atteint, l’événement «\u00A0Objectif atteint\u00A0» est envoyé une fois à vos webhooks et salons Discord.',
  every: 'Compter les votes',
  periods: {
    none: 'Aucun objectif',
    day: 'Chaque jour (UTC)',
    week: 'Chaque semaine, à partir du lundi (UTC)',
    month: 'Chaque mois (UTC)',
    party: 'Fête des votes\u00A0: repart de zéro à chaque fois',
  },
  votes: 'Votes à atteindre',
  votesHint:
    'Un vote à récompense doublée compte une fois. S’il y a déjà assez de votes, l’objectif commence le jour, la semaine ou le mois suivant.',
  badge: 'En image pour votre site\u00A0:',
};

export const goalSettingMessages: Record<Locale, typeof en> = { en, fr };

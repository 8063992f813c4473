import type { Locale } from '../../../domain/locale.ts';
import type { GoalPeriod } from '../../../domain/votes/goal.ts';

const en = {
  title: 'Goal',
  lead: 'A number of votes for the whole community. Visitors see the progress on your profile and voting page. When it is reached, your webhooks and Discord channels with the event “Goal reached” are told, once each time.',
  every: 'Count votes',
  periods: {
    none: 'No goal',
    day: 'Every day (UTC)',
    week: 'Every week, from Monday (UTC)',
    month: 'Every month (UTC)',
    party: 'Vote party: from zero after each time',
  } satisfies Record<GoalPeriod | 'none', string>,
  votes: 'Votes to reach',
  votesHint:
    'A doubled vote counts once. A goal that has enough votes already is reached in the next day, week or month.',
  badge: 'As an image for your website:',
};

const fr: typeof en = {
  title: 'Objectif',
  lead: 'Un nombre de votes pour toute la communauté. Les visiteurs voient la progression sur votre profil et votre page de vote. Quand il est atteint, vos webhooks et salons Discord avec l’événement «\u00A0Objectif atteint\u00A0» sont informés, une fois à chaque fois.',
  every: 'Compter les votes',
  periods: {
    none: 'Aucun objectif',
    day: 'Chaque jour (UTC)',
    week: 'Chaque semaine, à partir du lundi (UTC)',
    month: 'Chaque mois (UTC)',
    party: 'Fête des votes\u00A0: de nouveau à zéro à chaque fois',
  },
  votes: 'Votes à atteindre',
  votesHint:
    'Un vote compté double compte une fois. Un objectif qui a déjà assez de votes sera atteint le jour, la semaine ou le mois suivant.',
  badge: 'En image pour votre site\u00A0:',
};

export const goalSettingMessages: Record<Locale, typeof en> = { en, fr };

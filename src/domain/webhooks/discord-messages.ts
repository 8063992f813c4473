import type { Locale } from '../locale.ts';
import type { GoalPeriod } from '../votes/goal.ts';
import type { WebhookEventType } from './event.ts';

type Texts = {
  messages: Record<WebhookEventType, string>;
  voteNow: string;
  labels: { total: string; streak: string; month: string };
  days: (count: number) => string;
  /** When a goal was reached. */
  periods: Record<GoalPeriod, string>;
  test: string;
};

const en: Texts = {
  messages: {
    vote_received: '**{user}** voted for **{community}**.',
    vote_available: '**{user}** can vote for **{community}** again.',
    reward_granted: '**{user}** received the reward for a vote.',
    vote_voided: 'A vote of **{user}** no longer counts.',
    goal_reached: '**{community}** reached its vote goal {period}: **{goal}**. Thank you!',
    webhook_test: 'This is a test. Messages about votes for **{community}** will appear in this channel.',
  },
  voteNow: 'Vote now',
  labels: { total: 'Total votes', streak: 'Streak', month: 'Votes this month' },
  days: (count) => (count === 1 ? '1 day' : `${count} days`),
  periods: {
    day: 'today',
    week: 'this week',
    month: 'this month',
    party: 'for a vote party',
  },
  test: 'Test',
};

const fr: Texts = {
  messages: {
    vote_received: '**{user}** a voté pour **{community}**.',
    vote_available: '**{user}** peut de nouveau voter pour **{community}**.',
    reward_granted: '**{user}** a reçu la récompense d’un vote.',
    vote_voided: 'Un vote de **{user}** ne compte plus.',
    goal_reached: '**{community}** a atteint son objectif de votes {period}\u00A0: **{goal}**. Merci\u00A0!',
    webhook_test:
      'Ceci est un test. Les messages sur les votes pour **{community}** apparaîtront dans ce salon.',
  },
  voteNow: 'Voter',
  labels: { total: 'Total des votes', streak: 'Série', month: 'Votes ce mois-ci' },
  days: (count) => (count <= 1 ? `${count} jour` : `${count} jours`),
  periods: {
    day: 'du jour',
    week: 'de la semaine',
    month: 'du mois',
    party: 'pour une fête des votes',
  },
  test: 'Test',
};

export const channelMessages: Record<Locale, Texts> = { en, fr };

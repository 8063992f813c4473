import type { Locale } from '../locale.ts';
import type { WebhookEventType } from './event.ts';

type Texts = {
  messages: Record<WebhookEventType, string>;
  voteNow: string;
  labels: { total: string; streak: string; month: string };
  days: (count: number) => string;
  test: string;
};

const en: Texts = {
  messages: {
    vote_received: '**{user}** voted for **{community}**.',
    vote_available: '**{user}** can vote for **{community}** again.',
    reward_granted: '**{user}** received the reward for a vote.',
    vote_voided: 'A vote of **{user}** no longer counts.',
    webhook_test: 'This is a test. Messages about votes for **{community}** will appear in this channel.',
  },
  voteNow: 'Vote now',
  labels: { total: 'Total votes', streak: 'Streak', month: 'Votes this month' },
  days: (count) => (count === 1 ? '1 day' : `${count} days`),
  test: 'Test',
};

const fr: Texts = {
  messages: {
    vote_received: '**{user}** a voté pour **{community}**.',
    vote_available: '**{user}** peut de nouveau voter pour **{community}**.',
    reward_granted: '**{user}** a reçu la récompense d’un vote.',
    vote_voided: 'Un vote de **{user}** ne compte plus.',
    webhook_test:
      'Ceci est un test. Les messages sur les votes pour **{community}** apparaîtront dans ce salon.',
  },
  voteNow: 'Voter',
  labels: { total: 'Total des votes', streak: 'Série', month: 'Votes ce mois-ci' },
  days: (count) => (count <= 1 ? `${count} jour` : `${count} jours`),
  test: 'Test',
};

export const channelMessages: Record<Locale, Texts> = { en, fr };

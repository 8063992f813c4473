import type { Locale } from '../../../domain/locale.ts';

const en = {
  title: 'Or claim a test vote',
  lead: (minutes: number) =>
    `A test vote does not count anywhere. It can be claimed once within ${minutes} minutes, and the response says "test": true. Claim it with`,
  or: 'or',
  send: 'Send a test vote',
  sendAgain: 'Send another test vote',
  none: 'No test vote has been sent yet.',
  waiting: 'Waiting for the claim. The examples below claim it. Sent on',
  claimed: (consumer: string) => `Claimed by the consumer ${consumer} on`,
  expired: 'Nobody claimed the last test vote in time. It was sent on',
};

const fr: typeof en = {
  title: 'Ou réclamer un vote de test',
  lead: (minutes) =>
    `Un vote de test ne compte nulle part. Il peut être réclamé une fois en ${minutes} minutes, et la réponse indique "test": true. Réclamez-le avec`,
  or: 'ou',
  send: 'Envoyer un vote de test',
  sendAgain: 'Envoyer un autre vote de test',
  none: 'Aucun vote de test n’a encore été envoyé.',
  waiting: 'En attente de la réclamation. Les exemples ci-dessous le réclament. Envoyé le',
  claimed: (consumer) => `Réclamé par le consommateur ${consumer} le`,
  expired: 'Personne n’a réclamé le dernier vote de test à temps. Il a été envoyé le',
};

export const testVoteMessages: Record<Locale, typeof en> = { en, fr };

import type { Locale } from '../../domain/locale.ts';
import { formatNumber, formatVotes } from '../layout/format.ts';

const en = {
  total: 'Your votes',
  streak: 'Your streak',
  rank: 'Your rank this month',
  guildRank: 'Community rank',
  place: (rank: number) => `#${formatNumber(rank, 'en')}`,
  /** How the vote changed a rank; null if it did not. `before` is null for a first vote of the month. */
  moved: (rank: number, before: number | null) =>
    before === null || before <= rank ? null : `up ${formatNumber(before - rank, 'en')}`,
  others: 'Vote for other communities too',
  voteOther: 'Vote',
  votesOf: (votes: number) => `${formatVotes(votes, 'en')} this month`,
  notifyOff: 'Notify me when I can vote again',
  notifyOn: 'We’ll notify you · Turn off',
  notifyBlocked: 'Your browser blocks notifications from this site. You can allow them in its settings.',
  notifyKeep: 'Keep this tab open to be notified.',
  notificationTitle: (guild: string) => `You can vote for ${guild} again`,
  /** The title of the tab while the time runs; `{time}` is replaced. */
  countdownTitle: (guild: string) => `{time} · ${guild}`,
  readyTitle: (guild: string) => `Vote now · ${guild}`,
};

const fr: typeof en = {
  total: 'Vos votes',
  streak: 'Votre série',
  rank: 'Votre rang ce mois-ci',
  guildRank: 'Rang de la communauté',
  place: (rank) => `n°\u00A0${formatNumber(rank, 'fr')}`,
  moved: (rank, before) =>
    before === null || before <= rank ? null : `+${formatNumber(before - rank, 'fr')}`,
  others: 'Votez aussi pour d’autres communautés',
  voteOther: 'Voter',
  votesOf: (votes) => `${formatVotes(votes, 'fr')} ce mois-ci`,
  notifyOff: 'Me prévenir quand je pourrai revoter',
  notifyOn: 'Nous vous préviendrons · Désactiver',
  notifyBlocked:
    'Votre navigateur bloque les notifications de ce site. Vous pouvez les autoriser dans ses paramètres.',
  notifyKeep: 'Gardez cet onglet ouvert pour recevoir la notification.',
  notificationTitle: (guild) => `Vous pouvez de nouveau voter pour ${guild}`,
  countdownTitle: (guild) => `{time} · ${guild}`,
  readyTitle: (guild) => `Votez maintenant · ${guild}`,
};

export const afterMessages: Record<Locale, typeof en> = { en, fr };

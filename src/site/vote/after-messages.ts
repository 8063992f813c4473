import type { Locale } from '../../domain/locale.ts';
import { formatNumber } from '../layout/format.ts';

const en = {
  total: 'Your votes',
  streak: 'Your streak',
  days: (days: number) => (days === 1 ? '1 day' : `${formatNumber(days, 'en')} days`),
  rank: 'Your rank this month',
  guildRank: 'Community rank',
  place: (rank: number) => `#${formatNumber(rank, 'en')}`,
  /** How the vote changed a rank; null if it did not. `before` is null for a first vote of the month. */
  moved: (rank: number, before: number | null) =>
    before === null || before <= rank ? null : `up ${formatNumber(before - rank, 'en')}`,
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
  days: (days) => (days < 2 ? `${days} jour` : `${formatNumber(days, 'fr')} jours`),
  rank: 'Votre rang ce mois-ci',
  guildRank: 'Rang de la communauté',
  place: (rank) => `n°\u00A0${formatNumber(rank, 'fr')}`,
  moved: (rank, before) =>
    before === null || before <= rank ? null : `+${formatNumber(before - rank, 'fr')}`,
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

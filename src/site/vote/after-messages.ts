import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from '../layout/html.ts';

type AfterMessages = {
  total: string;
  streak: string;
  days(days: number): string;
  rank: string;
  guildRank: string;
  place(rank: number): string;
  /** How the vote changed a rank; null if it did not. `before` is null for a first vote of the month. */
  moved(rank: number, before: number | null): string | null;
  share: string;
  shareAction: string;
  shareTitle(guild: string): string;
  copy: string;
  copied: string;
  notifyOff: string;
  notifyOn: string;
  notifyBlocked: string;
  notifyKeep: string;
  notificationTitle(guild: string): string;
  /** The title of the tab while the time runs; `{time}` is replaced. */
  countdownTitle(guild: string): string;
  readyTitle(guild: string): string;
  nameShown(name: Html): Html;
  nameHidden: string;
  showName: string;
  hideName: string;
  seeProfile(guild: string): string;
};

export const afterMessages: Record<Locale, AfterMessages> = {
  en: {
    total: 'Your votes',
    streak: 'Your streak',
    days: (days) => (days === 1 ? '1 day' : `${count('en', days)} days`),
    rank: 'Your rank this month',
    guildRank: 'Community rank',
    place: (rank) => `#${count('en', rank)}`,
    moved: (rank, before) => (before === null || before <= rank ? null : `up ${count('en', before - rank)}`),
    share: 'Share this community',
    shareAction: 'Share',
    shareTitle: (guild) => `Vote for ${guild}`,
    copy: 'Copy',
    copied: 'Copied',
    notifyOff: 'Notify me when I can vote again',
    notifyOn: 'Notification on. Turn off',
    notifyBlocked: 'Your browser blocks notifications from this site. You can allow them in its settings.',
    notifyKeep: 'Keep this tab open to be notified.',
    notificationTitle: (guild) => `You can vote for ${guild} again`,
    countdownTitle: (guild) => `{time} · ${guild}`,
    readyTitle: (guild) => `Vote now · ${guild}`,
    nameShown: (name) => html`You appear as ${name} on leaderboards.`,
    nameHidden: 'You are anonymous on leaderboards.',
    showName: 'Show my name',
    hideName: 'Hide my name',
    seeProfile: (guild) => `See ${guild}`,
  },
  fr: {
    total: 'Vos votes',
    streak: 'Votre série',
    days: (days) => (days < 2 ? `${days} jour` : `${count('fr', days)} jours`),
    rank: 'Votre rang ce mois-ci',
    guildRank: 'Rang de la communauté',
    place: (rank) => `n°\u00A0${count('fr', rank)}`,
    moved: (rank, before) => (before === null || before <= rank ? null : `+${count('fr', before - rank)}`),
    share: 'Partager cette communauté',
    shareAction: 'Partager',
    shareTitle: (guild) => `Votez pour ${guild}`,
    copy: 'Copier',
    copied: 'Copié',
    notifyOff: 'Me prévenir quand je pourrai revoter',
    notifyOn: 'Notification activée. Désactiver',
    notifyBlocked:
      'Votre navigateur bloque les notifications de ce site. Vous pouvez les autoriser dans ses paramètres.',
    notifyKeep: 'Gardez cet onglet ouvert pour recevoir la notification.',
    notificationTitle: (guild) => `Vous pouvez de nouveau voter pour ${guild}`,
    countdownTitle: (guild) => `{time} · ${guild}`,
    readyTitle: (guild) => `Votez maintenant · ${guild}`,
    nameShown: (name) => html`Vous apparaissez sous le nom de ${name} dans les classements.`,
    nameHidden: 'Vous êtes anonyme dans les classements.',
    showName: 'Afficher mon nom',
    hideName: 'Masquer mon nom',
    seeProfile: (guild) => `Voir ${guild}`,
  },
};

function count(locale: Locale, value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}

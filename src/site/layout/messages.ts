import type { Locale } from '../../domain/locale.ts';

const en = {
  /** `number` is the formatted count. */
  votes: (count: number, number: string) => `${number} ${count === 1 ? 'vote' : 'votes'}`,
  justNow: 'just now',
  /** A time within a day: how long until then, and the time of the day. */
  inTime: (wait: string, clock: string) => `in ${wait} (${clock})`,
  onDay: (moment: string) => `on ${moment}`,
  timesInUtc: 'Times are in UTC.',
  timesAreLocal: 'Times are in your time zone.',
  copied: 'Copied',
  copyFailed: 'Select the text and copy it',
  copyId: (name: string) => `Copy the user id of ${name}`,
  skip: 'Skip to content',
  navigation: 'Main',
  communities: 'Communities',
  dashboard: 'Dashboard',
  docs: 'API',
  operator: 'Operator',
  signIn: 'Sign in',
  signOut: 'Sign out',
  footer: 'Votes you can verify.',
  footerLinks: 'About this site',
  privacy: 'Privacy',
  demo: 'Demo: sign-in is simulated on this machine.',
};

const fr: typeof en = {
  votes: (count, number) => `${number} ${count < 2 ? 'vote' : 'votes'}`,
  justNow: 'à l’instant',
  inTime: (wait, clock) => `dans ${wait} (${clock})`,
  onDay: (moment) => `le ${moment}`,
  timesInUtc: 'Les heures sont en UTC.',
  timesAreLocal: 'Les heures sont dans votre fuseau horaire.',
  copied: 'Copié',
  copyFailed: 'Sélectionnez le texte et copiez-le',
  copyId: (name) => `Copier l’identifiant de ${name}`,
  skip: 'Aller au contenu',
  navigation: 'Navigation principale',
  communities: 'Communautés',
  dashboard: 'Tableau de bord',
  docs: 'API',
  operator: 'Administration',
  signIn: 'Se connecter',
  signOut: 'Se déconnecter',
  footer: 'Des votes vérifiables.',
  footerLinks: 'À propos de ce site',
  privacy: 'Confidentialité',
  demo: 'Démo\u00A0: connexion simulée sur cette machine.',
};

export const layoutMessages: Record<Locale, typeof en> = { en, fr };

export const OPEN_GRAPH_LOCALES: Record<Locale, string> = { en: 'en_US', fr: 'fr_FR' };

export const otherLanguage: Record<Locale, { locale: Locale; name: string }> = {
  en: { locale: 'fr', name: 'Français' },
  fr: { locale: 'en', name: 'English' },
};

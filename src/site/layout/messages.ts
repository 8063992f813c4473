import type { Locale } from '../../domain/locale.ts';

type LayoutMessages = {
  skip: string;
  navigation: string;
  communities: string;
  dashboard: string;
  docs: string;
  operator: string;
  signIn: string;
  signOut: string;
  otherLanguage: { locale: Locale; name: string };
  footer: string;
  footerLinks: string;
  demo: string;
};

export const layoutMessages: Record<Locale, LayoutMessages> = {
  en: {
    skip: 'Skip to content',
    navigation: 'Main',
    communities: 'Communities',
    dashboard: 'Dashboard',
    docs: 'API',
    operator: 'Operator',
    signIn: 'Sign in',
    signOut: 'Sign out',
    otherLanguage: { locale: 'fr', name: 'Français' },
    footer: 'Votes you can verify.',
    footerLinks: 'About this site',
    demo: 'Demo: sign-in is simulated on this machine.',
  },
  fr: {
    skip: 'Aller au contenu',
    navigation: 'Navigation principale',
    communities: 'Communautés',
    dashboard: 'Tableau de bord',
    docs: 'API',
    operator: 'Exploitant',
    signIn: 'Se connecter',
    signOut: 'Se déconnecter',
    otherLanguage: { locale: 'en', name: 'English' },
    footer: 'Des votes vérifiables.',
    footerLinks: 'À propos de ce site',
    demo: 'Démo\u00A0: connexion simulée sur cette machine.',
  },
};

import type { Locale } from '../../domain/locale.ts';

export type Tab = 'overview' | 'key' | 'votes' | 'webhooks' | 'settings' | 'activity';

type FrameMessages = {
  tabs: Record<Tab, string>;
  tabsLabel: string;
  allCommunities: string;
  votePage: string;
  justNow: string;
  sanctioned: { title: string; text: string; reason: (reason: string) => string };
};

export const frameMessages: Record<Locale, FrameMessages> = {
  en: {
    tabs: {
      overview: 'Overview',
      key: 'Developer & API',
      votes: 'Votes',
      webhooks: 'Webhooks',
      settings: 'Settings',
      activity: 'Activity',
    },
    tabsLabel: 'Sections of this community',
    allCommunities: 'My communities',
    votePage: 'Voting page',
    justNow: 'just now',
    sanctioned: {
      title: 'This community is sanctioned.',
      text: 'While it lasts, its API key opens nothing, its voting page is closed and nothing is sent to its webhooks. This dashboard is read-only: you can look at everything and download votes, but change nothing. Contact the operator of this site.',
      reason: (reason) => `Reason: ${reason}`,
    },
  },
  fr: {
    tabs: {
      overview: 'Aperçu',
      key: 'Développeur et API',
      votes: 'Votes',
      webhooks: 'Webhooks',
      settings: 'Réglages',
      activity: 'Activité',
    },
    tabsLabel: 'Rubriques de cette communauté',
    allCommunities: 'Mes communautés',
    votePage: 'Page de vote',
    justNow: 'à l’instant',
    sanctioned: {
      title: 'Cette communauté est sanctionnée.',
      text: 'Tant que dure la sanction, sa clé d’API n’ouvre rien, sa page de vote est fermée et rien n’est envoyé à ses webhooks. Ce tableau de bord est en lecture seule : vous pouvez tout consulter et télécharger les votes, mais rien modifier. Contactez l’exploitant de ce site.',
      reason: (reason) => `Motif : ${reason}`,
    },
  },
};

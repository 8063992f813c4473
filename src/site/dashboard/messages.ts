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
    tabsLabel: 'Dashboard sections',
    allCommunities: 'My communities',
    votePage: 'Voting page',
    justNow: 'just now',
    sanctioned: {
      title: 'This community is sanctioned.',
      text: 'While the sanction is active, the API key is disabled, the voting page is closed and no webhooks are sent. This dashboard is read-only: you can view everything and download votes. Contact the operator of this site.',
      reason: (reason) => `Reason: ${reason}`,
    },
  },
  fr: {
    tabs: {
      overview: 'Aperçu',
      key: 'Développeurs et API',
      votes: 'Votes',
      webhooks: 'Webhooks',
      settings: 'Paramètres',
      activity: 'Activité',
    },
    tabsLabel: 'Rubriques du tableau de bord',
    allCommunities: 'Mes communautés',
    votePage: 'Page de vote',
    justNow: 'à l’instant',
    sanctioned: {
      title: 'Cette communauté est sanctionnée.',
      text: 'Tant que la sanction est active, la clé API est désactivée, la page de vote est fermée et aucun webhook n’est envoyé. Ce tableau de bord est en lecture seule\u00A0: vous pouvez tout consulter et télécharger les votes. Contactez l’exploitant de ce site.',
      reason: (reason) => `Motif\u00A0: ${reason}`,
    },
  },
};

import type { Locale } from '../../domain/locale.ts';

type CommunitiesMessages = {
  title: string;
  lead: string;
  open: string;
  openNamed: (name: string) => string;
  list: string;
  listNamed: (name: string) => string;
  notListed: string;
  sanctioned: string;
  failing: string;
  empty: { title: string; text: string; home: string };
};

const en: CommunitiesMessages = {
  title: 'My communities',
  lead: 'The Discord servers where you are the owner or have the Administrator permission.',
  open: 'Open',
  openNamed: (name) => `Open the dashboard for ${name}`,
  list: 'List this community',
  listNamed: (name) => `List this community: ${name}`,
  notListed: 'Not listed yet',
  sanctioned: 'Sanctioned',
  failing: 'Webhook failing',
  empty: {
    title: 'No community to manage yet',
    text: 'You do not administer any Discord server. Ask the owner of your server for the Administrator permission, or create a server in Discord, then reload this page. New permissions appear here within a minute.',
    home: 'View communities',
  },
};

const fr: CommunitiesMessages = {
  title: 'Mes communautés',
  lead: 'Les serveurs Discord dont vous êtes propriétaire ou sur lesquels vous avez la permission Administrateur.',
  open: 'Ouvrir',
  openNamed: (name) => `Ouvrir le tableau de bord de ${name}`,
  list: 'Référencer cette communauté',
  listNamed: (name) => `Référencer cette communauté\u00A0: ${name}`,
  notListed: 'Pas encore référencée',
  sanctioned: 'Sanctionnée',
  failing: 'Webhook en échec',
  empty: {
    title: 'Aucune communauté à gérer pour l’instant',
    text: 'Vous n’administrez aucun serveur Discord. Demandez la permission Administrateur au propriétaire de votre serveur, ou créez un serveur dans Discord, puis rechargez cette page. Une nouvelle permission apparaît ici en moins d’une minute.',
    home: 'Voir les communautés',
  },
};

export const communitiesMessages: Record<Locale, CommunitiesMessages> = { en, fr };

import type { Locale } from '../../../domain/locale.ts';

type CommunitiesMessages = {
  title: string;
  lead: string;
  open: string;
  openNamed: (name: string) => string;
  list: string;
  listNamed: (name: string) => string;
  notListed: string;
  sanctioned: string;
  empty: { title: string; text: string; home: string };
};

export const communitiesMessages: Record<Locale, CommunitiesMessages> = {
  en: {
    title: 'My communities',
    lead: 'The Discord servers where you are the owner or have the Administrator permission.',
    open: 'Open',
    openNamed: (name) => `Open the dashboard of ${name}`,
    list: 'List this community',
    listNamed: (name) => `List this community: ${name}`,
    notListed: 'Not listed yet',
    sanctioned: 'Sanctioned',
    empty: {
      title: 'No community to manage yet',
      text: 'You do not administer any Discord server. Ask the owner of yours for the Administrator permission, or create a server in Discord; then reload this page. A new permission shows up here within a minute.',
      home: 'See the communities',
    },
  },
  fr: {
    title: 'Mes communautés',
    lead: 'Les serveurs Discord dont vous êtes propriétaire ou sur lesquels vous avez la permission Administrateur.',
    open: 'Ouvrir',
    openNamed: (name) => `Ouvrir le tableau de bord de ${name}`,
    list: 'Référencer cette communauté',
    listNamed: (name) => `Référencer cette communauté : ${name}`,
    notListed: 'Pas encore référencée',
    sanctioned: 'Sanctionnée',
    empty: {
      title: 'Aucune communauté à gérer pour l’instant',
      text: 'Vous n’administrez aucun serveur Discord. Demandez la permission Administrateur au propriétaire du vôtre, ou créez un serveur dans Discord, puis rechargez cette page. Une nouvelle permission apparaît ici en moins d’une minute.',
      home: 'Voir les communautés',
    },
  },
};

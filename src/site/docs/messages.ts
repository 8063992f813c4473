import { GUIDES, type GuideName } from '../../api/openapi/introduction.ts';
import type { Locale } from '../../domain/locale.ts';

type DocsMessages = {
  navigation: string;
  reference: string;
  interactive: string;
  apis: Record<'v7' | 'manage', string>;
  referenceDescription(site: string): string;
  needsScript: string;
  needsScalar: string;
  document: string;
  manageDocument: string;
  guides: string;
  clients: string;
  guidesLead: string;
  guideDescription(title: string): string;
  /** A note that the guides and the reference are in English only; null in English. */
  language: string | null;
  unknownGuide: string;
  copy: string;
  titles: Record<GuideName, string>;
};

const en: DocsMessages = {
  navigation: 'Documentation',
  reference: 'API reference',
  interactive: 'Try it in your browser',
  apis: { v7: 'API for communities (v7)', manage: 'Management API' },
  referenceDescription: (site) => `The API of ${site}: check votes, claim rewards, and receive every vote.`,
  needsScript:
    'The interactive reference needs JavaScript. You can also read the guides, or the OpenAPI document:',
  needsScalar:
    'The interactive reference is not installed on this server. You can read the guides, or the OpenAPI document:',
  document: 'openapi.json',
  manageDocument: 'management API',
  guides: 'Guides',
  clients: 'Client libraries',
  guidesLead: 'Complete example programs for bots, websites and game servers.',
  guideDescription: (title) => `How to verify and reward votes: ${title}.`,
  language: null,
  unknownGuide: 'Guide not found',
  copy: 'Copy',
  titles: GUIDES,
};

const fr: DocsMessages = {
  navigation: 'Documentation',
  reference: 'Référence de l’API',
  interactive: 'Essayer dans le navigateur',
  apis: { v7: 'API des communautés (v7)', manage: 'API de gestion' },
  referenceDescription: (site) =>
    `L’API de ${site}\u00A0: vérifiez les votes, attribuez les récompenses et recevez chaque vote.`,
  needsScript:
    'La référence interactive nécessite JavaScript. Vous pouvez aussi lire les guides ou le document OpenAPI\u00A0:',
  needsScalar:
    'La référence interactive n’est pas installée sur ce serveur. Vous pouvez lire les guides ou le document OpenAPI\u00A0:',
  document: 'openapi.json',
  manageDocument: 'API de gestion',
  guides: 'Guides',
  clients: 'Bibliothèques clientes',
  guidesLead: 'Des programmes d’exemple complets pour les bots, les sites et les serveurs de jeu.',
  guideDescription: (title) => `Vérifier et récompenser les votes\u00A0: ${title}.`,
  language: 'Les guides et la référence sont en anglais.',
  unknownGuide: 'Guide introuvable',
  copy: 'Copier',
  titles: {
    curl: 'curl',
    'discord-app': 'Application Discord (pour les administrateurs du site)',
    'discord-bot-node': 'Bot Discord (Node)',
    'php-cms': 'Site PHP ou CMS',
    azuriom: 'Azuriom',
    python: 'Python',
    'java-game-server': 'Serveur de jeu Java',
    'minecraft-paper': 'Plugin Minecraft (Paper)',
    webhooks: 'Recevoir des webhooks',
    'discord-channel': 'Votes dans un salon Discord',
    goals: 'Objectifs et fêtes des votes',
    votifier: 'Serveur Minecraft avec NuVotifier',
    listforge: 'Migrer depuis un site ListForge',
    topgg: 'Migrer depuis top.gg',
    'signed-links': 'Liens de vote signés',
  },
};

export const docsMessages: Record<Locale, DocsMessages> = { en, fr };

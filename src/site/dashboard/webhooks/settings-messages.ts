/** Texts of the form for endpoints, and about the kinds of endpoints. */
import type { Locale } from '../../../domain/locale.ts';
import { type EndpointKind, WEBHOOK_URL_MAX_LENGTH } from '../../../domain/webhooks/destination.ts';
import { TEMPLATE_MAX_LENGTH } from '../../../domain/webhooks/discord.ts';
import type { SubscribableEvent } from '../../../domain/webhooks/event.ts';
import {
  type AddFault,
  type DestinationFault,
  ENDPOINT_NAME_MAX_LENGTH,
  MAX_ENDPOINTS,
} from '../../../store/webhooks/admin.ts';

const destinationsInEnglish = {
  legend: 'Where to send votes',
  kinds: {
    https: { name: 'Webhook', hint: 'Signed events for your bot or website.', add: 'Add endpoint' },
    discord: { name: 'Discord channel', hint: 'A message in a channel for every vote.', add: 'Add channel' },
    votifier: { name: 'Minecraft server', hint: 'Votes for NuVotifier.', add: 'Add server' },
  } satisfies Record<EndpointKind, { name: string; hint: string; add: string }>,
  channelUrl: 'Channel webhook URL',
  channelUrlHint:
    'In Discord: Edit Channel, Integrations, Webhooks, New Webhook, Copy Webhook URL. The URL is stored encrypted and not shown again.',
  keepUrl: 'Leave it empty to keep the current channel.',
  language: 'Message language',
  languages: { en: 'English', fr: 'Français' } satisfies Record<Locale, string>,
  templates: 'Customize messages',
  templatesHint: `Leave a message empty to use the default. Discord Markdown is supported, and mentions notify nobody. Up to ${TEMPLATE_MAX_LENGTH} characters.`,
  fields: 'Fields:',
  address: 'Server address',
  addressHint:
    'Host and port of NuVotifier, such as mc.example.org:8192. The port must be reachable from the internet.',
  token: 'Token',
  tokenHint: 'From plugins/NuVotifier/config.yml, under tokens. It is stored encrypted and not shown again.',
  keepToken: 'Leave it empty to keep the current token.',
  serviceName: 'Service name (optional)',
  serviceNameHint: 'What vote plugins call this site in their settings. Default: the host name of this site.',
  nameRules: [
    'Only votes with a player name are sent: use vote links with external_id.',
    'A name has 3 to 16 letters, digits or underscores. Names of Bedrock players can start with a prefix such as a dot.',
    'Other votes count here, but are skipped for the server; the log says why.',
  ],
  /** Shown in place of the signing secret. */
  tokenKept: 'The token is stored encrypted and not shown. To replace it, edit the endpoint.',
  tokenUnreadable:
    'Nothing can be sent, because the token was encrypted with a different master secret. Edit the endpoint and enter it again.',
  testVote: 'Send test vote',
  testVoteHint: 'The server receives a vote by the player Votary_Test.',
  serviceShown: 'Service name',
  editHint: 'Pending events are sent to the new target; those of a type you deselect are deleted.',
  gone: 'Discord no longer recognizes this webhook. Create a new one in Discord, then edit the endpoint.',
  faults: {
    'discord-url':
      'This is the webhook of a Discord channel. Add it as a channel, so that it receives messages people can read.',
    'not-discord':
      'This is not the webhook URL of a Discord channel. It looks like https://discord.com/api/webhooks/… and is copied from the settings of the channel.',
    'bad-template': `A message is longer than ${TEMPLATE_MAX_LENGTH} characters, or contains a field in braces that its event does not have.`,
    'bad-address': 'This is not a valid server address. Enter host and port, such as mc.example.org:8192.',
    'bad-token': 'Enter the token as it is in the config.yml of NuVotifier, without spaces.',
    'bad-service-name':
      'The service name can have up to 64 letters, digits, spaces, dots, hyphens and underscores, and starts with a letter or digit.',
  } satisfies Record<DestinationFault, string>,
};

const destinationsInFrench: typeof destinationsInEnglish = {
  legend: 'Où envoyer les votes',
  kinds: {
    https: {
      name: 'Webhook',
      hint: 'Des événements signés pour votre bot ou votre site.',
      add: 'Ajouter l’endpoint',
    },
    discord: {
      name: 'Salon Discord',
      hint: 'Un message dans un salon pour chaque vote.',
      add: 'Ajouter le salon',
    },
    votifier: { name: 'Serveur Minecraft', hint: 'Des votes pour NuVotifier.', add: 'Ajouter le serveur' },
  },
  channelUrl: 'URL du webhook du salon',
  channelUrlHint:
    'Dans Discord\u00A0: Modifier le salon, Intégrations, Webhooks, Nouveau webhook, Copier l’URL du webhook. L’URL est chiffrée et ne sera plus affichée.',
  keepUrl: 'Laissez vide pour garder le salon actuel.',
  language: 'Langue des messages',
  languages: { en: 'English', fr: 'Français' },
  templates: 'Personnaliser les messages',
  templatesHint: `Laissez un message vide pour utiliser celui par défaut. Le Markdown de Discord est pris en charge\u00A0; les mentions ne notifient personne. ${TEMPLATE_MAX_LENGTH} caractères au maximum.`,
  fields: 'Champs\u00A0:',
  address: 'Adresse du serveur',
  addressHint:
    'Hôte et port de NuVotifier, par exemple mc.example.org:8192. Le port doit être accessible depuis Internet.',
  token: 'Jeton',
  tokenHint: 'Dans plugins/NuVotifier/config.yml, sous tokens. Il est chiffré et ne sera plus affiché.',
  keepToken: 'Laissez vide pour garder le jeton actuel.',
  serviceName: 'Nom de service (facultatif)',
  serviceNameHint:
    'Le nom de ce site dans les paramètres des plugins de vote. Par défaut\u00A0: le nom d’hôte de ce site.',
  nameRules: [
    'Seuls les votes avec un pseudo sont envoyés\u00A0: utilisez des liens de vote avec external_id.',
    'Un pseudo comporte de 3 à 16 lettres, chiffres ou tirets bas. Ceux des joueurs Bedrock peuvent commencer par un préfixe, par exemple un point.',
    'Les autres votes comptent ici, mais ne sont pas envoyés au serveur\u00A0; le journal indique pourquoi.',
  ],
  tokenKept: 'Le jeton est chiffré et n’est pas affiché. Pour le remplacer, modifiez l’endpoint.',
  tokenUnreadable:
    'Rien ne peut être envoyé, car le jeton a été chiffré avec un autre secret principal. Modifiez l’endpoint et saisissez-le de nouveau.',
  testVote: 'Envoyer un vote de test',
  testVoteHint: 'Le serveur reçoit un vote du joueur Votary_Test.',
  serviceShown: 'Nom de service',
  editHint:
    'Les événements en attente sont envoyés à la nouvelle destination\u00A0; ceux d’un type que vous désélectionnez sont supprimés.',
  gone: 'Discord ne connaît plus ce webhook. Créez-en un nouveau dans Discord et modifiez l’endpoint.',
  faults: {
    'discord-url':
      'C’est le webhook d’un salon Discord. Ajoutez-le comme salon, pour qu’il reçoive des messages lisibles.',
    'not-discord':
      'Ce n’est pas l’URL du webhook d’un salon Discord. Elle ressemble à https://discord.com/api/webhooks/… et se copie depuis les paramètres du salon.',
    'bad-template': `Un message dépasse ${TEMPLATE_MAX_LENGTH} caractères, ou contient un champ entre accolades que son événement n’a pas.`,
    'bad-address':
      'Ce n’est pas l’adresse d’un serveur. Saisissez l’hôte et le port, par exemple mc.example.org:8192.',
    'bad-token': 'Saisissez le jeton tel qu’il figure dans le config.yml de NuVotifier, sans espaces.',
    'bad-service-name':
      'Le nom de service comporte jusqu’à 64 lettres, chiffres, espaces, points, traits d’union et tirets bas, et commence par une lettre ou un chiffre.',
  },
};

export const destinationMessages: Record<Locale, typeof destinationsInEnglish> = {
  en: destinationsInEnglish,
  fr: destinationsInFrench,
};

export type ShownFault = Exclude<AddFault, 'unknown-guild'>;

const en = {
  first: 'Add an endpoint',
  another: 'Add another endpoint',
  full: `A community can have up to ${MAX_ENDPOINTS} endpoints. Remove one to add another.`,
  edit: {
    title: 'Edit endpoint',
    hint: 'The signing secret stays the same. Pending events are sent to the new URL; those of a type you deselect are deleted.',
    save: 'Save changes',
    cancel: 'Cancel',
  },
  url: 'Receiver URL',
  urlHint: 'It must start with https:// and be reachable from the internet.',
  demoHint: 'In this demo, http:// URLs on this machine work too.',
  name: 'Name (optional)',
  nameHint: `Helps to tell endpoints apart. Up to ${ENDPOINT_NAME_MAX_LENGTH} characters.`,
  events: 'Events to send',
  names: {
    vote_received: { name: 'Vote received', hint: 'Immediately after a vote, so you can give the reward.' },
    vote_available: {
      name: 'Vote available again',
      hint: 'One hour after a vote, when the user can vote again, so you can remind them.',
    },
    reward_granted: {
      name: 'Reward granted',
      hint: 'When a vote is claimed through the API.',
    },
    vote_voided: {
      name: 'Vote voided',
      hint: 'When the operator of this site voids a vote: it no longer counts.',
    },
  } satisfies Record<SubscribableEvent, { name: string; hint: string }>,
  faults: {
    ...destinationMessages.en.faults,
    'not-a-url': 'This is not a valid URL. Enter it in full, such as https://bot.example.org/votes.',
    'too-long': `The URL must be at most ${WEBHOOK_URL_MAX_LENGTH} characters long.`,
    'not-https': 'The URL must start with https://, so that messages cannot be read or changed in transit.',
    'has-credentials':
      'The URL contains a user name or a password. Use a path that is hard to guess instead.',
    'private-address':
      'This URL points to this server or to a private or reserved network. Use one that is reachable from the internet, or ask the operator of this site to permit the network (VOTARY_WEBHOOK_ALLOW).',
    'forbidden-port': 'This port is not allowed. Use port 443 or a port above 1023.',
    'bad-name': `The name must be at most ${ENDPOINT_NAME_MAX_LENGTH} characters long, without control characters.`,
    'no-events': 'Choose at least one event.',
    'too-many': `There are ${MAX_ENDPOINTS} endpoints already. Remove one first.`,
  } satisfies Record<ShownFault, string>,
};

const fr: typeof en = {
  first: 'Ajouter un endpoint',
  another: 'Ajouter un autre endpoint',
  full: `Une communauté peut avoir jusqu’à ${MAX_ENDPOINTS} endpoints. Supprimez-en un pour en ajouter un autre.`,
  edit: {
    title: 'Modifier l’endpoint',
    hint: 'Le secret de signature reste le même. Les événements en attente sont envoyés à la nouvelle URL\u00A0; ceux d’un type que vous désélectionnez sont supprimés.',
    save: 'Enregistrer',
    cancel: 'Annuler',
  },
  url: 'URL de votre récepteur',
  urlHint: 'Elle doit commencer par https:// et être accessible depuis Internet.',
  demoHint: 'Dans cette démo, les URL http:// de cette machine conviennent aussi.',
  name: 'Nom (facultatif)',
  nameHint: `Pour distinguer les endpoints. ${ENDPOINT_NAME_MAX_LENGTH} caractères au maximum.`,
  events: 'Événements à envoyer',
  names: {
    vote_received: {
      name: 'Vote reçu',
      hint: 'Immédiatement après un vote, pour attribuer la récompense.',
    },
    vote_available: {
      name: 'Vote de nouveau possible',
      hint: 'Une heure après un vote, quand le membre peut revoter, pour lui envoyer un rappel.',
    },
    reward_granted: {
      name: 'Récompense attribuée',
      hint: 'Quand la récompense d’un vote est attribuée avec l’API.',
    },
    vote_voided: {
      name: 'Vote annulé',
      hint: 'Quand l’exploitant de ce site annule un vote\u00A0: il ne compte plus.',
    },
  },
  faults: {
    ...destinationMessages.fr.faults,
    'not-a-url':
      'Cette URL n’est pas valide. Saisissez-la en entier, par exemple https://bot.example.org/votes.',
    'too-long': `L’URL doit comporter au maximum ${WEBHOOK_URL_MAX_LENGTH} caractères.`,
    'not-https':
      'L’URL doit commencer par https://, pour que les messages ne puissent être ni lus ni modifiés en transit.',
    'has-credentials':
      'L’URL contient un nom d’utilisateur ou un mot de passe. Utilisez plutôt un chemin difficile à deviner.',
    'private-address':
      'Cette URL pointe vers ce serveur ou vers un réseau privé ou réservé. Utilisez-en une accessible depuis Internet, ou demandez à l’exploitant de ce site d’autoriser le réseau (VOTARY_WEBHOOK_ALLOW).',
    'forbidden-port': 'Ce port n’est pas autorisé. Utilisez le port 443 ou un port supérieur à 1023.',
    'bad-name': `Le nom doit comporter au maximum ${ENDPOINT_NAME_MAX_LENGTH} caractères, sans caractère de contrôle.`,
    'no-events': 'Choisissez au moins un événement.',
    'too-many': `Il y a déjà ${MAX_ENDPOINTS} endpoints. Supprimez-en d’abord un.`,
  },
};

export const settingsMessages: Record<Locale, typeof en> = { en, fr };

/** Texts of the form for endpoints. */
import type { Locale } from '../../../domain/locale.ts';
import { WEBHOOK_URL_MAX_LENGTH } from '../../../domain/webhooks/destination.ts';
import type { SubscribableEvent } from '../../../domain/webhooks/event.ts';
import { type AddFault, ENDPOINT_NAME_MAX_LENGTH, MAX_ENDPOINTS } from '../../../store/webhooks/admin.ts';
import { destinationMessages } from './destination-messages.ts';

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
    goal_reached: {
      name: 'Goal reached',
      hint: 'When your community reaches the goal in its settings.',
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
      hint: 'Quand l’administration de ce site annule un vote\u00A0: il ne compte plus.',
    },
    goal_reached: {
      name: 'Objectif atteint',
      hint: 'Quand votre communauté atteint l’objectif de ses paramètres.',
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
      'Cette URL pointe vers ce serveur ou vers un réseau privé ou réservé. Utilisez-en une accessible depuis Internet, ou demandez à l’administration de ce site d’autoriser le réseau (VOTARY_WEBHOOK_ALLOW).',
    'forbidden-port': 'Ce port n’est pas autorisé. Utilisez le port 443 ou un port supérieur à 1023.',
    'bad-name': `Le nom doit comporter au maximum ${ENDPOINT_NAME_MAX_LENGTH} caractères, sans caractère de contrôle.`,
    'no-events': 'Choisissez au moins un événement.',
    'too-many': `Il y a déjà ${MAX_ENDPOINTS} endpoints. Supprimez-en d’abord un.`,
  },
};

export const settingsMessages: Record<Locale, typeof en> = { en, fr };

import type { Locale } from '../../../domain/locale.ts';
import type { SubscribableEvent } from '../../../domain/webhooks/event.ts';
import { WEBHOOK_URL_MAX_LENGTH } from '../../../domain/webhooks/url.ts';
import { type AddFault, ENDPOINT_NAME_MAX_LENGTH, MAX_ENDPOINTS } from '../../../store/webhooks/admin.ts';

export type ShownFault = Exclude<AddFault, 'unknown-guild'>;

type SettingsMessages = {
  first: string;
  another: string;
  full: string;
  add: string;
  edit: { title: string; hint: string; save: string; cancel: string };
  url: string;
  urlHint: string;
  demoHint: string;
  name: string;
  nameHint: string;
  events: string;
  names: Record<SubscribableEvent, { name: string; hint: string }>;
  faults: Record<ShownFault, string>;
};

const en: SettingsMessages = {
  first: 'Add an endpoint',
  another: 'Add another endpoint',
  full: `A community can have ${MAX_ENDPOINTS} endpoints, and this one has them all. Remove one to add another.`,
  add: 'Add endpoint',
  edit: {
    title: 'Edit the endpoint',
    hint: 'Its signing secret stays the same. Events that still wait are sent to the new address; those of a type you no longer choose are dropped.',
    save: 'Save changes',
    cancel: 'Cancel',
  },
  url: 'Address of your receiver',
  urlHint: 'It begins with https:// and can be reached from the internet.',
  demoHint: 'In this demo, http:// addresses of this very machine work too.',
  name: 'Name (optional)',
  nameHint: `To tell endpoints apart, up to ${ENDPOINT_NAME_MAX_LENGTH} characters.`,
  events: 'What to send',
  names: {
    vote_received: { name: 'Vote received', hint: 'At once, when somebody votes: give the reward.' },
    vote_available: {
      name: 'Vote available again',
      hint: 'One hour after a vote, when its user can vote again: remind them.',
    },
    reward_granted: {
      name: 'Reward granted',
      hint: 'When a vote is claimed through the API.',
    },
    vote_voided: {
      name: 'Vote voided',
      hint: 'When the operator of this site voids a vote: it no longer counts.',
    },
  },
  faults: {
    'not-a-url': 'This is not an address. Write it in full, such as https://bot.example.org/votes.',
    'too-long': `An address has at most ${WEBHOOK_URL_MAX_LENGTH} characters.`,
    'not-https':
      'The address must begin with https://, so that nobody on the way reads or changes a message.',
    'has-credentials':
      'The address holds a user name or a password. Use a path that is hard to guess instead.',
    'private-address':
      'This address leads to the machine of this site, or into a private or reserved network. Use one that can be reached from the internet.',
    'forbidden-port': 'This port cannot be used. Webhooks use port 443, or a port above 1023.',
    'bad-name': `A name has at most ${ENDPOINT_NAME_MAX_LENGTH} characters, and no control characters.`,
    'no-events': 'Choose at least one event to send.',
    'too-many': `There are ${MAX_ENDPOINTS} endpoints already. Remove one first.`,
  },
};

const fr: SettingsMessages = {
  first: 'Ajouter un point de réception',
  another: 'Ajouter un autre point de réception',
  full: `Une communauté peut avoir ${MAX_ENDPOINTS} points de réception, et celle-ci les a tous. Supprimez-en un pour en ajouter un autre.`,
  add: 'Ajouter',
  edit: {
    title: 'Modifier le point de réception',
    hint: 'Son secret de signature reste le même. Les événements en attente sont envoyés à la nouvelle adresse\u00A0; ceux d’un type que vous ne choisissez plus sont abandonnés.',
    save: 'Enregistrer',
    cancel: 'Annuler',
  },
  url: 'Adresse de votre récepteur',
  urlHint: 'Elle commence par https:// et peut être atteinte depuis Internet.',
  demoHint: 'Dans cette démo, les adresses http:// de cette machine conviennent aussi.',
  name: 'Nom (facultatif)',
  nameHint: `Pour distinguer les points de réception, ${ENDPOINT_NAME_MAX_LENGTH} caractères au plus.`,
  events: 'Ce qu’il faut envoyer',
  names: {
    vote_received: {
      name: 'Vote reçu',
      hint: 'Aussitôt, quand quelqu’un vote\u00A0: donnez la récompense.',
    },
    vote_available: {
      name: 'Vote de nouveau possible',
      hint: 'Une heure après un vote, quand son auteur peut revoter\u00A0: faites-lui un rappel.',
    },
    reward_granted: {
      name: 'Récompense accordée',
      hint: 'Quand un vote est réclamé par l’API.',
    },
    vote_voided: {
      name: 'Vote annulé',
      hint: 'Quand l’opérateur de ce site annule un vote\u00A0: il ne compte plus.',
    },
  },
  faults: {
    'not-a-url': 'Ce n’est pas une adresse. Écrivez-la en entier, par exemple https://bot.example.org/votes.',
    'too-long': `Une adresse comporte au plus ${WEBHOOK_URL_MAX_LENGTH} caractères.`,
    'not-https':
      'L’adresse doit commencer par https://, pour que personne ne puisse lire ou modifier un message en chemin.',
    'has-credentials':
      'L’adresse contient un nom d’utilisateur ou un mot de passe. Utilisez plutôt un chemin difficile à deviner.',
    'private-address':
      'Cette adresse mène à la machine de ce site, ou à un réseau privé ou réservé. Utilisez-en une qui peut être atteinte depuis Internet.',
    'forbidden-port':
      'Ce port ne peut pas être utilisé. Les webhooks utilisent le port 443 ou un port supérieur à 1023.',
    'bad-name': `Un nom comporte au plus ${ENDPOINT_NAME_MAX_LENGTH} caractères, sans caractère de contrôle.`,
    'no-events': 'Choisissez au moins un événement à envoyer.',
    'too-many': `Il y a déjà ${MAX_ENDPOINTS} points de réception. Supprimez-en d’abord un.`,
  },
};

export const settingsMessages: Record<Locale, SettingsMessages> = { en, fr };

import type { Locale } from '../../../domain/locale.ts';
import type { SubscribableEvent } from '../../../domain/webhook-event.ts';
import { WEBHOOK_URL_MAX_LENGTH } from '../../../domain/webhook-url.ts';
import { type AddFault, ENDPOINT_NAME_MAX_LENGTH, MAX_ENDPOINTS } from '../../../store/webhook-admin.ts';
import type { DisabledReason } from '../../../store/webhook-store.ts';

type Question = { title: string; warning: string; consequence: string; confirm: string; cancel: string };

export type ShownAddFault = Exclude<AddFault, 'unknown-guild'>;

type WebhooksMessages = {
  title: string;
  lead: string;
  verify: string;
  docs: string;
  endpoint: string;
  sends: string;
  active: string;
  failing: string;
  off: string;
  failingSince: string;
  offSince: string;
  failingHint: string;
  reasons: Record<DisabledReason, string>;
  enable: string;
  enableHint: string;
  secret: string;
  masked: (lastFour: string) => string;
  sealedAway: string;
  shownHint: string;
  previousUntil: string;
  reveal: string;
  hide: string;
  copySecret: string;
  test: string;
  rotate: string;
  remove: string;
  add: {
    first: string;
    another: string;
    full: string;
    url: string;
    urlHint: string;
    demoHint: string;
    events: string;
    names: Record<SubscribableEvent, { name: string; hint: string }>;
    action: string;
    faults: Record<ShownAddFault, string>;
  };
  questions: Record<'rotate' | 'remove', Question>;
  stillRotating: string;
};

const en: WebhooksMessages = {
  title: 'Webhooks',
  lead: 'Be told instead of asking: every vote is sent to an address of yours the moment it is cast, and again for over a day if your receiver is down.',
  verify:
    'Each message is signed as Standard Webhooks says. Check the signature with the secret of the endpoint: verifyWebhook of @votary/sdk does it in one call.',
  docs: 'What is sent, and how to check it',
  endpoint: 'Endpoint',
  sends: 'Sends',
  active: 'Active',
  failing: 'Failing',
  off: 'Switched off',
  failingSince: 'Nothing has been delivered since',
  offSince: 'Switched off on',
  failingHint: 'We keep trying. After five days without success the endpoint is switched off.',
  reasons: {
    gone: 'It answered 410 Gone, which means: never send anything here again.',
    failing: 'Nothing was delivered for five days.',
  },
  enable: 'Enable again',
  enableHint: 'What waits for it is kept, and sent when you enable it again.',
  secret: 'Signing secret:',
  masked: (lastFour) => `hidden, ending in ${lastFour}`,
  sealedAway:
    'Nothing can be sent: this secret was stored under another master secret of this site. Rotate it, or ask the operator to set that secret again.',
  shownHint: 'That you saw it is recorded in the activity log. Keep it secret.',
  previousUntil: 'Messages are signed with the secret before this one too, until',
  reveal: 'Reveal secret',
  hide: 'Hide secret',
  copySecret: 'Copy secret',
  test: 'Send a test event',
  rotate: 'Rotate secret…',
  remove: 'Remove…',
  add: {
    first: 'Add an endpoint',
    another: 'Add another endpoint',
    full: `A community can have ${MAX_ENDPOINTS} endpoints, and this one has them all. Remove one to add another.`,
    url: 'Address of your receiver',
    urlHint: 'It begins with https:// and can be reached from the internet.',
    demoHint: 'In this demo, http:// addresses of this very machine work too.',
    events: 'What to send',
    names: {
      vote_received: { name: 'Vote received', hint: 'At once, when somebody votes: give the reward.' },
      vote_available: {
        name: 'Vote available again',
        hint: 'One hour after a vote, when its user can vote again: remind them.',
      },
    },
    action: 'Add endpoint',
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
  },
  questions: {
    rotate: {
      title: 'Rotate the signing secret?',
      warning: 'Both secrets are valid for 24 hours.',
      consequence:
        'Until then every message carries two signatures, so your receiver goes on working while you give it the new secret. After that only the new one counts.',
      confirm: 'Rotate now',
      cancel: 'Keep the secret',
    },
    remove: {
      title: 'Remove this endpoint?',
      warning: 'Nothing is sent to it any more.',
      consequence:
        'What still waits for it is dropped, and its secret is forgotten. What was delivered stays in the log. This cannot be undone.',
      confirm: 'Remove now',
      cancel: 'Keep the endpoint',
    },
  },
  stillRotating:
    'The last rotation is not over yet: the secret before the present one stops at once if you rotate again. It would be valid until',
};

const fr: WebhooksMessages = {
  title: 'Webhooks',
  lead: 'Soyez prévenu au lieu de demander\u00A0: chaque vote est envoyé à votre adresse dès qu’il est émis, et renvoyé pendant plus d’un jour si votre récepteur est en panne.',
  verify:
    'Chaque message est signé selon Standard Webhooks. Vérifiez la signature avec le secret du point de réception\u00A0: verifyWebhook, dans @votary/sdk, le fait en un appel.',
  docs: 'Ce qui est envoyé, et comment le vérifier',
  endpoint: 'Point de réception',
  sends: 'Envoie',
  active: 'Actif',
  failing: 'En échec',
  off: 'Désactivé',
  failingSince: 'Rien n’a été remis depuis le',
  offSince: 'Désactivé le',
  failingHint:
    'Nous continuons d’essayer. Après cinq jours sans succès, le point de réception est désactivé.',
  reasons: {
    gone: 'Il a répondu 410 Gone, ce qui signifie\u00A0: ne plus jamais rien envoyer ici.',
    failing: 'Rien n’a pu être remis pendant cinq jours.',
  },
  enable: 'Réactiver',
  enableHint: 'Ce qui l’attend est conservé, et sera envoyé quand vous le réactiverez.',
  secret: 'Secret de signature\u00A0:',
  masked: (lastFour) => `masqué, se termine par ${lastFour}`,
  sealedAway:
    'Rien ne peut être envoyé\u00A0: ce secret a été enregistré sous un autre secret principal de ce site. Renouvelez-le, ou demandez à l’exploitant de rétablir ce secret principal.',
  shownHint: 'Cet affichage est consigné dans le journal d’activité. Gardez ce secret pour vous.',
  previousUntil: 'Les messages sont aussi signés avec le secret précédent, jusqu’au',
  reveal: 'Afficher le secret',
  hide: 'Masquer le secret',
  copySecret: 'Copier le secret',
  test: 'Envoyer un test',
  rotate: 'Renouveler le secret…',
  remove: 'Supprimer…',
  add: {
    first: 'Ajouter un point de réception',
    another: 'Ajouter un autre point de réception',
    full: `Une communauté peut avoir ${MAX_ENDPOINTS} points de réception, et celle-ci les a tous. Supprimez-en un pour en ajouter un autre.`,
    url: 'Adresse de votre récepteur',
    urlHint: 'Elle commence par https:// et peut être atteinte depuis Internet.',
    demoHint: 'Dans cette démo, les adresses http:// de cette machine conviennent aussi.',
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
    },
    action: 'Ajouter',
    faults: {
      'not-a-url':
        'Ce n’est pas une adresse. Écrivez-la en entier, par exemple https://bot.example.org/votes.',
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
  },
  questions: {
    rotate: {
      title: 'Renouveler le secret de signature\u00A0?',
      warning: 'Les deux secrets sont valables pendant 24 heures.',
      consequence:
        'D’ici là, chaque message porte deux signatures\u00A0: votre récepteur continue de fonctionner pendant que vous lui donnez le nouveau secret. Ensuite, seul le nouveau compte.',
      confirm: 'Renouveler maintenant',
      cancel: 'Garder le secret',
    },
    remove: {
      title: 'Supprimer ce point de réception\u00A0?',
      warning: 'Plus rien ne lui sera envoyé.',
      consequence:
        'Ce qui l’attend encore est abandonné, et son secret est oublié. Ce qui a été remis reste dans le journal. C’est irréversible.',
      confirm: 'Supprimer maintenant',
      cancel: 'Garder le point de réception',
    },
  },
  stillRotating:
    'Le dernier renouvellement n’est pas terminé\u00A0: si vous recommencez, le secret antérieur cesse aussitôt d’être valable. Il le serait jusqu’au',
};

export const webhooksMessages: Record<Locale, WebhooksMessages> = { en, fr };

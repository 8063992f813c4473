import type { Locale } from '../../../domain/locale.ts';
import type { WebhookEventType } from '../../../domain/webhooks/event.ts';
import type { DisabledReason } from '../../../store/webhooks/store.ts';

type Question = { title: string; warning: string; consequence: string; confirm: string; cancel: string };

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
  paused: string;
  pausedSince: string;
  pausedHint: string;
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
  testType: string;
  testTypes: Record<WebhookEventType, string>;
  edit: string;
  pause: string;
  resume: string;
  rotate: string;
  remove: string;
  questions: Record<'rotate' | 'remove', Question>;
  when: Record<'later' | 'now', { name: string; hint: string }>;
  whenLegend: string;
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
  paused: 'Paused',
  pausedSince: 'Paused since',
  pausedHint:
    'Events are kept for up to 30 days, and sent when you resume the endpoint. Tests are sent all the same.',
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
  test: 'Send test',
  testType: 'Test event to send',
  testTypes: {
    webhook_test: 'Plain test',
    vote_received: 'Sample of a vote',
    vote_available: 'Sample of a reminder',
    reward_granted: 'Sample of a granted reward',
    vote_voided: 'Sample of a voided vote',
  },
  edit: 'Edit…',
  pause: 'Pause',
  resume: 'Resume',
  rotate: 'Rotate secret…',
  remove: 'Remove…',
  questions: {
    rotate: {
      title: 'Rotate the signing secret?',
      warning: 'Your receiver needs the new secret.',
      consequence: 'Choose how long it may go on with the old one.',
      confirm: 'Make a new secret',
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
  whenLegend: 'When the old secret stops',
  when: {
    later: {
      name: 'In 24 hours: both secrets are valid until then',
      hint: 'Until then every message carries two signatures, so your receiver goes on working while you give it the new secret.',
    },
    now: {
      name: 'Replace now: the old secret stops at once',
      hint: 'For a secret that has leaked. Your receiver refuses messages until you give it the new one; they are tried again for over a day.',
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
  paused: 'En pause',
  pausedSince: 'En pause depuis le',
  pausedHint:
    'Les événements sont conservés jusqu’à 30 jours et envoyés à la reprise. Les tests sont envoyés malgré la pause.',
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
  test: 'Envoyer le test',
  testType: 'Événement de test à envoyer',
  testTypes: {
    webhook_test: 'Test simple',
    vote_received: 'Exemple de vote',
    vote_available: 'Exemple de rappel',
    reward_granted: 'Exemple de récompense accordée',
    vote_voided: 'Exemple de vote annulé',
  },
  edit: 'Modifier…',
  pause: 'Mettre en pause',
  resume: 'Reprendre',
  rotate: 'Renouveler le secret…',
  remove: 'Supprimer…',
  questions: {
    rotate: {
      title: 'Renouveler le secret de signature\u00A0?',
      warning: 'Votre récepteur aura besoin du nouveau secret.',
      consequence: 'Choisissez combien de temps l’ancien reste valable.',
      confirm: 'Créer un nouveau secret',
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
  whenLegend: 'Quand l’ancien secret cesse d’être valable',
  when: {
    later: {
      name: 'Dans 24 heures\u00A0: les deux secrets sont valables d’ici là',
      hint: 'D’ici là, chaque message porte deux signatures\u00A0: votre récepteur continue de fonctionner pendant que vous lui donnez le nouveau secret.',
    },
    now: {
      name: 'Remplacer maintenant\u00A0: l’ancien secret cesse aussitôt d’être valable',
      hint: 'Pour un secret divulgué. Votre récepteur refuse les messages tant qu’il n’a pas le nouveau\u00A0; ils sont retentés pendant plus d’un jour.',
    },
  },
  stillRotating:
    'Le dernier renouvellement n’est pas terminé\u00A0: si vous recommencez, le secret antérieur cesse aussitôt d’être valable. Il le serait jusqu’au',
};

export const webhooksMessages: Record<Locale, WebhooksMessages> = { en, fr };

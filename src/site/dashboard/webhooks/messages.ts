import type { Locale } from '../../../domain/locale.ts';
import type { WebhookEventType } from '../../../domain/webhooks/event.ts';
import type { DisabledReason } from '../../../store/webhooks/store.ts';

type Question = { title: string; warning: string; consequence: string; confirm: string; cancel: string };

const en = {
  title: 'Webhooks',
  lead: 'Get notified instead of polling: every vote is sent to your URL as soon as it is cast, and retried for more than a day if your receiver is down. Votes can also appear in a Discord channel, or reward players on a Minecraft server.',
  verify:
    'Messages are signed according to Standard Webhooks. Verify the signature with the secret of the endpoint, for example with verifyWebhook from @votary/sdk.',
  docs: 'Payloads and signature verification',
  endpoint: 'Endpoint',
  sends: 'Sends',
  active: 'Active',
  failing: 'Failing',
  off: 'Disabled',
  paused: 'Paused',
  pausedSince: 'Paused since',
  pausedHint:
    'Events are kept for up to 30 days and sent when you resume the endpoint. Test events are still sent.',
  failingSince: 'Nothing has been delivered since',
  offSince: 'Disabled on',
  failingHint: 'Deliveries are retried. The endpoint is disabled after five days without success.',
  reasons: {
    gone: 'The receiver responded with 410 Gone, which means that it no longer wants events.',
    failing: 'Nothing was delivered for five days.',
  } satisfies Record<DisabledReason, string>,
  enable: 'Re-enable',
  enableHint: 'Pending events are kept and sent when you re-enable the endpoint.',
  secret: 'Signing secret:',
  hidden: 'hidden',
  masked: (lastFour: string) => `hidden, ending in ${lastFour}`,
  unreadable:
    'Nothing can be sent, because this secret was encrypted with a different master secret. Rotate it, or ask the operator to restore the previous master secret.',
  shownHint: 'Revealing the secret is recorded in the activity log.',
  previousUntil: 'Messages are also signed with the previous secret until',
  reveal: 'Reveal secret',
  hide: 'Hide secret',
  copySecret: 'Copy secret',
  test: 'Send test',
  testType: 'Test event to send',
  testTypes: {
    webhook_test: 'Simple test',
    vote_received: 'Sample vote',
    vote_available: 'Sample reminder',
    reward_granted: 'Sample reward',
    vote_voided: 'Sample voided vote',
    goal_reached: 'Sample goal',
  } satisfies Record<WebhookEventType, string>,
  edit: 'Edit…',
  pause: 'Pause',
  resume: 'Resume',
  rotate: 'Rotate secret…',
  remove: 'Remove…',
  questions: {
    rotate: {
      title: 'Rotate the signing secret?',
      warning: 'Your receiver needs the new secret.',
      consequence: 'Choose how long the old one stays valid.',
      confirm: 'Rotate secret',
      cancel: 'Keep the secret',
    },
    remove: {
      title: 'Remove this endpoint?',
      warning: 'No more events will be sent to it.',
      consequence:
        'Pending events and the signing secret are deleted. Past deliveries stay in the log. This cannot be undone.',
      confirm: 'Remove now',
      cancel: 'Keep the endpoint',
    },
  } satisfies Record<'rotate' | 'remove', Question>,
  whenLegend: 'When the old secret expires',
  when: {
    later: {
      name: 'In 24 hours: both secrets are valid until then',
      hint: 'Until then every message carries two signatures, so your receiver keeps working while you update it.',
    },
    now: {
      name: 'Now: the old secret stops working immediately',
      hint: 'Use this for a leaked secret. Your receiver rejects messages until you update it; they are retried for more than a day.',
    },
  } satisfies Record<'later' | 'now', { name: string; hint: string }>,
  stillRotating:
    'The last rotation is still in progress. If you rotate again, the previous secret stops working immediately. It would otherwise be valid until',
};

const fr: typeof en = {
  title: 'Webhooks',
  lead: 'Recevez une notification au lieu d’interroger l’API\u00A0: chaque vote est envoyé à votre URL dès qu’il est enregistré. Si votre récepteur est en panne, l’envoi est retenté pendant plus d’un jour. Les votes peuvent aussi apparaître dans un salon Discord, ou récompenser les joueurs d’un serveur Minecraft.',
  verify:
    'Les messages sont signés selon Standard Webhooks. Vérifiez la signature avec le secret de l’endpoint, par exemple avec verifyWebhook de @votary/sdk.',
  docs: 'Contenu des messages et vérification des signatures',
  endpoint: 'Endpoint',
  sends: 'Envoie',
  active: 'Actif',
  failing: 'En échec',
  off: 'Désactivé',
  paused: 'En pause',
  pausedSince: 'En pause depuis le',
  pausedHint:
    'Les événements sont conservés jusqu’à 30 jours et envoyés à la reprise. Les tests sont envoyés malgré la pause.',
  failingSince: 'Aucun envoi réussi depuis le',
  offSince: 'Désactivé le',
  failingHint: 'Les envois sont retentés. L’endpoint est désactivé après cinq jours sans succès.',
  reasons: {
    gone: 'Le récepteur a répondu 410 Gone\u00A0: il ne veut plus recevoir d’événements.',
    failing: 'Aucun envoi n’a réussi pendant cinq jours.',
  },
  enable: 'Réactiver',
  enableHint: 'Les événements en attente sont conservés et seront envoyés quand vous réactiverez l’endpoint.',
  secret: 'Secret de signature\u00A0:',
  hidden: 'masqué',
  masked: (lastFour) => `masqué, se termine par ${lastFour}`,
  unreadable:
    'Rien ne peut être envoyé, car ce secret a été chiffré avec un autre secret principal. Renouvelez-le, ou demandez à l’administration du site de rétablir l’ancien secret principal.',
  shownHint: 'Cet affichage est consigné dans le journal d’activité.',
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
    reward_granted: 'Exemple de récompense attribuée',
    vote_voided: 'Exemple de vote annulé',
    goal_reached: 'Exemple d’objectif atteint',
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
      confirm: 'Renouveler le secret',
      cancel: 'Garder le secret',
    },
    remove: {
      title: 'Supprimer cet endpoint\u00A0?',
      warning: 'Plus aucun événement ne lui sera envoyé.',
      consequence:
        'Les événements en attente et le secret de signature sont supprimés. Les envois passés restent dans le journal. C’est irréversible.',
      confirm: 'Supprimer maintenant',
      cancel: 'Garder l’endpoint',
    },
  },
  whenLegend: 'Expiration de l’ancien secret',
  when: {
    later: {
      name: 'Dans 24 heures\u00A0: les deux secrets sont valables d’ici là',
      hint: 'D’ici là, chaque message porte deux signatures\u00A0: votre récepteur continue de fonctionner pendant que vous le mettez à jour.',
    },
    now: {
      name: 'Maintenant\u00A0: l’ancien secret cesse immédiatement d’être valable',
      hint: 'À choisir si le secret a été divulgué. Votre récepteur refuse les messages tant que vous ne l’avez pas mis à jour\u00A0; les envois sont retentés pendant plus d’un jour.',
    },
  },
  stillRotating:
    'Le dernier renouvellement est encore en cours. Si vous recommencez, le secret précédent cesse immédiatement d’être valable. Sinon, il le reste jusqu’au',
};

export const webhooksMessages: Record<Locale, typeof en> = { en, fr };

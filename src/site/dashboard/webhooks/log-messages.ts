import type { Locale } from '../../../domain/locale.ts';
import type { DeliveryState } from '../../../store/webhooks/store.ts';

const en = {
  title: 'Deliveries',
  hint: (limit: number) => `The latest ${limit}, each with its last attempt.`,
  refresh: 'Refresh',
  empty: 'Nothing has been sent yet. Send a test event, or wait for the next vote.',
  time: 'Time',
  event: 'Event',
  endpoint: 'Endpoint',
  result: 'Last attempt',
  answer: 'Response',
  action: 'Action',
  states: {
    pending: 'Pending',
    delivered: 'Delivered',
    failed: 'Failed',
    skipped: 'Skipped',
    uncertain: 'Uncertain',
  } satisfies Record<DeliveryState, string>,
  removed: 'removed',
  test: 'test',
  heldBack: 'On hold: the endpoint is paused',
  status: (status: number) => `status ${status}`,
  noAnswer: 'no response',
  /** Shown for a Minecraft server, whose response has no status. */
  accepted: 'accepted',
  /** Separates the result from its reason. */
  because: ': ',
  duration: (milliseconds: string) => `${milliseconds} ms`,
  tries: (count: number) => `attempt ${count}`,
  sending: 'Sending now',
  /** Shown while the endpoint is disabled. */
  held: 'Will be sent when the endpoint is re-enabled',
  nextTry: 'Next attempt:',
  again: 'Resend',
  againOne: (eventId: string) => `Resend ${eventId}`,
  delivered: 'Test delivered:',
  notDelivered: 'Test not delivered:',
  answeredWith: 'Start of the response:',
  replay: {
    title: 'Replay events',
    hint: 'Use this after your receiver was down. It resends every event since a given time, up to 30 days back. Events keep their ids, so a receiver that stores ids can skip duplicates. Discord channels, Minecraft servers and receivers in a top.gg format only get what they have not received.',
    since: 'Since (UTC)',
    to: 'To',
    all: 'All active endpoints',
    action: 'Resend all',
    wrong: 'This time is not valid. Use the format YYYY-MM-DDTHH:MM.',
    queued: (count: string) =>
      count === '1'
        ? '1 delivery queued. Refresh the page to see the result.'
        : `${count} deliveries queued. Refresh the page to see the results.`,
    rest: 'The limit for one replay was reached. To send the rest, replay again from',
    none: 'Nothing to resend: there are no events since then that an active endpoint subscribes to, or they are already being sent.',
  },
};

const fr: typeof en = {
  title: 'Envois',
  hint: (limit) => `Les ${limit} plus récents, avec leur dernière tentative.`,
  refresh: 'Actualiser',
  empty: 'Rien n’a encore été envoyé. Envoyez un test, ou attendez le prochain vote.',
  time: 'Date et heure',
  event: 'Événement',
  endpoint: 'Endpoint',
  result: 'Dernière tentative',
  answer: 'Réponse',
  action: 'Action',
  states: {
    pending: 'En attente',
    delivered: 'Livré',
    failed: 'Échec',
    skipped: 'Ignoré',
    uncertain: 'Incertain',
  },
  removed: 'supprimé',
  test: 'test',
  heldBack: 'En attente\u00A0: l’endpoint est en pause',
  status: (status) => `statut ${status}`,
  noAnswer: 'pas de réponse',
  accepted: 'accepté',
  because: '\u00A0: ',
  duration: (milliseconds) => `${milliseconds} ms`,
  tries: (count) => `tentative ${count}`,
  sending: 'Envoi en cours',
  held: 'Sera envoyé quand l’endpoint sera réactivé',
  nextTry: 'Prochaine tentative\u00A0:',
  again: 'Renvoyer',
  againOne: (eventId) => `Renvoyer ${eventId}`,
  delivered: 'Test livré\u00A0:',
  notDelivered: 'Test non livré\u00A0:',
  answeredWith: 'Début de la réponse\u00A0:',
  replay: {
    title: 'Renvoyer des événements',
    hint: 'À utiliser après une panne de votre récepteur. Renvoie tous les événements depuis une date donnée, jusqu’à 30 jours en arrière. Les événements gardent leur identifiant\u00A0: un récepteur qui enregistre les identifiants peut ignorer les doublons. Les salons Discord, les serveurs Minecraft et les récepteurs au format top.gg ne reçoivent que ce qui leur manque.',
    since: 'Depuis (UTC)',
    to: 'Destination',
    all: 'Tous les endpoints actifs',
    action: 'Tout renvoyer',
    wrong: 'Cette date n’est pas valide. Utilisez le format AAAA-MM-JJTHH:MM.',
    queued: (count) =>
      count === '1'
        ? '1 envoi mis en file d’attente. Actualisez la page pour voir le résultat.'
        : `${count} envois mis en file d’attente. Actualisez la page pour voir les résultats.`,
    rest: 'La limite par renvoi est atteinte. Pour envoyer le reste, recommencez à partir du',
    none: 'Rien à renvoyer\u00A0: aucun événement destiné à un endpoint actif depuis cette date, ou l’envoi est déjà en cours.',
  },
};

export const logMessages: Record<Locale, typeof en> = { en, fr };

import type { Locale } from '../../../domain/locale.ts';
import type { DeliveryState } from '../../../store/webhooks/store.ts';

type LogMessages = {
  title: string;
  hint: (limit: number) => string;
  refresh: string;
  empty: string;
  time: string;
  event: string;
  endpoint: string;
  result: string;
  answer: string;
  action: string;
  states: Record<DeliveryState, string>;
  removed: string;
  test: string;
  heldBack: string;
  status: (status: number) => string;
  noAnswer: string;
  /** Between what happened and why. */
  because: string;
  duration: (milliseconds: string) => string;
  tries: (count: number) => string;
  sending: string;
  /** For an endpoint that is switched off. */
  held: string;
  nextTry: string;
  again: string;
  againOne: (eventId: string) => string;
  delivered: string;
  notDelivered: string;
  answeredWith: string;
  replay: {
    title: string;
    hint: string;
    since: string;
    to: string;
    all: string;
    action: string;
    wrong: string;
    queued: (count: string) => string;
    /** Before the moment from which on events are left. */
    rest: string;
    none: string;
  };
};

export const logMessages: Record<Locale, LogMessages> = {
  en: {
    title: 'Deliveries',
    hint: (limit) => `The newest ${limit}, each with its last try. All times are UTC.`,
    refresh: 'Refresh',
    empty: 'Nothing has been sent yet. Send a test event, or wait for the next vote.',
    time: 'Time',
    event: 'Event',
    endpoint: 'Endpoint',
    result: 'Last try',
    answer: 'Answer',
    action: 'Action',
    states: { pending: 'Waiting', delivered: 'Delivered', failed: 'Failed' },
    removed: 'removed',
    test: 'test',
    heldBack: 'Held back: the endpoint is paused',
    status: (status) => `status ${status}`,
    noAnswer: 'no answer',
    because: ': ',
    duration: (milliseconds) => `${milliseconds} ms`,
    tries: (count) => `try ${count}`,
    sending: 'Being sent now',
    held: 'Sent when the endpoint is enabled again',
    nextTry: 'Next try:',
    again: 'Send again',
    againOne: (eventId) => `Send again: ${eventId}`,
    delivered: 'The test was delivered:',
    notDelivered: 'The test was not delivered:',
    answeredWith: 'The answer began with:',
    replay: {
      title: 'Send again',
      hint: 'After your receiver was down: sends all that happened since a moment once more, as far back as 30 days. Every event keeps its id, so a receiver that remembers ids takes none twice.',
      since: 'Since (UTC)',
      to: 'To',
      all: 'All that are on',
      action: 'Send all again',
      wrong: 'This moment does not exist. Write it as YYYY-MM-DDTHH:MM.',
      queued: (count) =>
        count === '1'
          ? 'One delivery is queued and sent now. Refresh the page to see what becomes of it.'
          : `${count} deliveries are queued and sent now. Refresh the page to see what becomes of them.`,
      rest: 'That is as many as one request queues: send the rest again since',
      none: 'There was nothing to send again: no event since then, none that an endpoint which is on asked for, or it is being sent already.',
    },
  },
  fr: {
    title: 'Envois',
    hint: (limit) => `Les ${limit} plus récents, avec leur dernier essai. Toutes les heures sont en UTC.`,
    refresh: 'Actualiser',
    empty: 'Rien n’a encore été envoyé. Envoyez un test, ou attendez le prochain vote.',
    time: 'Date et heure',
    event: 'Événement',
    endpoint: 'Point de réception',
    result: 'Dernier essai',
    answer: 'Réponse',
    action: 'Action',
    states: { pending: 'En attente', delivered: 'Remis', failed: 'Échoué' },
    removed: 'supprimé',
    test: 'test',
    heldBack: 'Retenu\u00A0: le point de réception est en pause',
    status: (status) => `statut ${status}`,
    noAnswer: 'pas de réponse',
    because: '\u00A0: ',
    duration: (milliseconds) => `${milliseconds} ms`,
    tries: (count) => `essai ${count}`,
    sending: 'Envoi en cours',
    held: 'Partira quand le point de réception sera réactivé',
    nextTry: 'Prochain essai\u00A0:',
    again: 'Renvoyer',
    againOne: (eventId) => `Renvoyer ${eventId}`,
    delivered: 'Le test a été remis\u00A0:',
    notDelivered: 'Le test n’a pas été remis\u00A0:',
    answeredWith: 'La réponse commençait par\u00A0:',
    replay: {
      title: 'Renvoyer',
      hint: 'Après une panne de votre récepteur\u00A0: envoie une nouvelle fois tout ce qui s’est passé depuis un moment donné, jusqu’à 30 jours en arrière. Chaque événement garde son identifiant\u00A0: un récepteur qui s’en souvient n’en traite aucun deux fois.',
      since: 'Depuis (UTC)',
      to: 'À',
      all: 'Tous ceux qui sont actifs',
      action: 'Tout renvoyer',
      wrong: 'Ce moment n’existe pas. Écrivez-le sous la forme AAAA-MM-JJTHH:MM.',
      queued: (count) =>
        count === '1'
          ? 'Un envoi est en file et part maintenant. Actualisez la page pour en voir l’issue.'
          : `${count} envois sont en file et partent maintenant. Actualisez la page pour en voir l’issue.`,
      rest: 'Une demande n’en met pas davantage en file\u00A0: renvoyez le reste depuis le',
      none: 'Il n’y avait rien à renvoyer\u00A0: aucun événement depuis ce moment, aucun qu’un point de réception actif demande, ou l’envoi est déjà en cours.',
    },
  },
};

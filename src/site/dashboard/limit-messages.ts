import type { Locale } from '../../domain/locale.ts';
import { type LimitFault, DASHBOARD_LIMITS as limits } from './limits.ts';

type LimitText = { title: string; text: string; action: string };

export const limitMessages: Record<Locale, Record<LimitFault, LimitText>> = {
  en: {
    TOO_MANY_TESTS: {
      title: 'Too many test events',
      text: `A community can send ${limits.TOO_MANY_TESTS.requests} test events an hour. Nothing was sent.`,
      action: 'Back to the page',
    },
    TOO_MANY_RESENDS: {
      title: 'Too many events sent again',
      text: `A community can send ${limits.TOO_MANY_RESENDS.requests} single events again an hour. Nothing was sent. To send many at once, choose a period.`,
      action: 'Back to the page',
    },
    TOO_MANY_REPLAYS: {
      title: 'Too many replays',
      text: `A community can send a whole period again ${limits.TOO_MANY_REPLAYS.requests} times an hour. Nothing was sent.`,
      action: 'Back to the page',
    },
    TOO_MANY_REVEALS: {
      title: 'Shown too often',
      text: `The API key and the webhook secrets of a community can be shown ${limits.TOO_MANY_REVEALS.requests} times an hour.`,
      action: 'Back to the page',
    },
    TOO_MANY_ENDPOINTS: {
      title: 'Too many new endpoints',
      text: `A community can add ${limits.TOO_MANY_ENDPOINTS.requests} endpoints a day. Nothing was changed. An endpoint that exists can be edited.`,
      action: 'Back to the page',
    },
    TOO_MANY_CHANGES: {
      title: 'Too many changes',
      text: `A community can change endpoints ${limits.TOO_MANY_CHANGES.requests} times an hour. Nothing was changed.`,
      action: 'Back to the page',
    },
  },
  fr: {
    TOO_MANY_TESTS: {
      title: 'Trop de tests',
      text: `Une communauté peut envoyer ${limits.TOO_MANY_TESTS.requests} événements de test par heure. Rien n’a été envoyé.`,
      action: 'Retour à la page',
    },
    TOO_MANY_RESENDS: {
      title: 'Trop de renvois',
      text: `Une communauté peut renvoyer ${limits.TOO_MANY_RESENDS.requests} événements un à un par heure. Rien n’a été envoyé. Pour en renvoyer beaucoup, choisissez une période.`,
      action: 'Retour à la page',
    },
    TOO_MANY_REPLAYS: {
      title: 'Trop de renvois',
      text: `Une communauté peut renvoyer toute une période ${limits.TOO_MANY_REPLAYS.requests} fois par heure. Rien n’a été envoyé.`,
      action: 'Retour à la page',
    },
    TOO_MANY_REVEALS: {
      title: 'Trop d’affichages',
      text: `La clé d’API et les secrets des webhooks d’une communauté peuvent être affichés ${limits.TOO_MANY_REVEALS.requests} fois par heure.`,
      action: 'Retour à la page',
    },
    TOO_MANY_ENDPOINTS: {
      title: 'Trop de nouveaux points de réception',
      text: `Une communauté peut ajouter ${limits.TOO_MANY_ENDPOINTS.requests} points de réception par jour. Rien n’a été modifié. Un point de réception existant peut être modifié.`,
      action: 'Retour à la page',
    },
    TOO_MANY_CHANGES: {
      title: 'Trop de modifications',
      text: `Une communauté peut modifier ses points de réception ${limits.TOO_MANY_CHANGES.requests} fois par heure. Rien n’a été modifié.`,
      action: 'Retour à la page',
    },
  },
};

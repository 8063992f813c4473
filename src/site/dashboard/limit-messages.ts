import type { Locale } from '../../domain/locale.ts';
import { type LimitFault, DASHBOARD_LIMITS as limits } from './limits.ts';

type LimitText = { title: string; text: string; action: string };

export const limitMessages: Record<Locale, Record<LimitFault, LimitText>> = {
  en: {
    TOO_MANY_TESTS: {
      title: 'Too many test events',
      text: `A community can send ${limits.TOO_MANY_TESTS.requests} test events per hour. Nothing was sent.`,
      action: 'Go back',
    },
    TOO_MANY_RESENDS: {
      title: 'Too many resent events',
      text: `A community can resend ${limits.TOO_MANY_RESENDS.requests} single events per hour. Nothing was sent. To resend many events at once, choose a period.`,
      action: 'Go back',
    },
    TOO_MANY_REPLAYS: {
      title: 'Too many replays',
      text: `A community can replay a period ${limits.TOO_MANY_REPLAYS.requests} times per hour. Nothing was sent.`,
      action: 'Go back',
    },
    TOO_MANY_REVEALS: {
      title: 'Revealed too often',
      text: `The API key and the webhook secrets of a community can be revealed ${limits.TOO_MANY_REVEALS.requests} times per hour.`,
      action: 'Go back',
    },
    TOO_MANY_ENDPOINTS: {
      title: 'Too many new endpoints',
      text: `A community can add ${limits.TOO_MANY_ENDPOINTS.requests} endpoints per day. Nothing was changed. You can still edit existing endpoints.`,
      action: 'Go back',
    },
    TOO_MANY_CHANGES: {
      title: 'Too many changes',
      text: `A community can change its endpoints ${limits.TOO_MANY_CHANGES.requests} times per hour. Nothing was changed.`,
      action: 'Go back',
    },
  },
  fr: {
    TOO_MANY_TESTS: {
      title: 'Trop de tests',
      text: `Une communauté peut envoyer ${limits.TOO_MANY_TESTS.requests} événements de test par heure. Rien n’a été envoyé.`,
      action: 'Retour',
    },
    TOO_MANY_RESENDS: {
      title: 'Trop de renvois',
      text: `Une communauté peut renvoyer ${limits.TOO_MANY_RESENDS.requests} événements un à un par heure. Rien n’a été envoyé. Pour en renvoyer beaucoup, choisissez une période.`,
      action: 'Retour',
    },
    TOO_MANY_REPLAYS: {
      title: 'Trop de renvois',
      text: `Une communauté peut renvoyer toute une période ${limits.TOO_MANY_REPLAYS.requests} fois par heure. Rien n’a été envoyé.`,
      action: 'Retour',
    },
    TOO_MANY_REVEALS: {
      title: 'Trop d’affichages',
      text: `La clé API et les secrets des webhooks d’une communauté peuvent être affichés ${limits.TOO_MANY_REVEALS.requests} fois par heure.`,
      action: 'Retour',
    },
    TOO_MANY_ENDPOINTS: {
      title: 'Trop de nouveaux endpoints',
      text: `Une communauté peut ajouter ${limits.TOO_MANY_ENDPOINTS.requests} endpoints par jour. Rien n’a été modifié. Vous pouvez toujours modifier les endpoints existants.`,
      action: 'Retour',
    },
    TOO_MANY_CHANGES: {
      title: 'Trop de modifications',
      text: `Une communauté peut modifier ses endpoints ${limits.TOO_MANY_CHANGES.requests} fois par heure. Rien n’a été modifié.`,
      action: 'Retour',
    },
  },
};

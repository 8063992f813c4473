/**
 * Limits on what the admins of one community can do that sends requests or fills the database. Manual use stays far
 * below. Counted in the store, so all processes share them.
 */
import { DAY_MS, HOUR_MS } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import { type RateLimit, standingOf } from '../../domain/rate-window.ts';
import { PageError, type PageFault } from '../errors/page-error.ts';
import type { DashboardDeps } from './access.ts';

export const DASHBOARD_LIMITS = {
  TOO_MANY_TESTS: { requests: 30, windowMs: HOUR_MS },
  /** Of one event. */
  TOO_MANY_RESENDS: { requests: 120, windowMs: HOUR_MS },
  /** Of all events since a given time. */
  TOO_MANY_REPLAYS: { requests: 10, windowMs: HOUR_MS },
  /** Of the API key and of webhook secrets together. */
  TOO_MANY_REVEALS: { requests: 60, windowMs: HOUR_MS },
  /** Rejected ones count too, because each may cause a DNS query. */
  TOO_MANY_ENDPOINTS: { requests: 20, windowMs: DAY_MS },
  TOO_MANY_CHANGES: { requests: 60, windowMs: HOUR_MS },
} as const satisfies Partial<Record<PageFault, RateLimit>>;

export type LimitFault = keyof typeof DASHBOARD_LIMITS;

/** Counts one action. Only for admins, so that others cannot use up the limit of a community. */
export async function countAction(
  { store, clock }: Pick<DashboardDeps, 'store' | 'clock'>,
  guildId: string,
  fault: LimitFault,
): Promise<void> {
  const limit = DASHBOARD_LIMITS[fault];
  const now = clock();
  const window = await store.rates.hit(`dashboard:${fault}:${guildId}`, limit, now);
  const { isExceeded, resetSeconds } = standingOf(window, limit, now);
  if (isExceeded) throw new PageError(fault, { retryAfterSeconds: resetSeconds });
}

type LimitText = { title: string; text: string; action: string };

export const limitMessages: Record<Locale, Record<LimitFault, LimitText>> = {
  en: {
    TOO_MANY_TESTS: {
      title: 'Too many test events',
      text: `A community can send ${DASHBOARD_LIMITS.TOO_MANY_TESTS.requests} test events per hour. Nothing was sent.`,
      action: 'Go back',
    },
    TOO_MANY_RESENDS: {
      title: 'Too many resent events',
      text: `A community can resend ${DASHBOARD_LIMITS.TOO_MANY_RESENDS.requests} single events per hour. Nothing was sent. To resend many events at once, choose a period.`,
      action: 'Go back',
    },
    TOO_MANY_REPLAYS: {
      title: 'Too many replays',
      text: `A community can replay a period ${DASHBOARD_LIMITS.TOO_MANY_REPLAYS.requests} times per hour. Nothing was sent.`,
      action: 'Go back',
    },
    TOO_MANY_REVEALS: {
      title: 'Revealed too often',
      text: `The API key and the webhook secrets of a community can be revealed ${DASHBOARD_LIMITS.TOO_MANY_REVEALS.requests} times per hour.`,
      action: 'Go back',
    },
    TOO_MANY_ENDPOINTS: {
      title: 'Too many new endpoints',
      text: `A community can add ${DASHBOARD_LIMITS.TOO_MANY_ENDPOINTS.requests} endpoints per day. Nothing was changed. You can still edit existing endpoints.`,
      action: 'Go back',
    },
    TOO_MANY_CHANGES: {
      title: 'Too many changes',
      text: `A community can change its endpoints ${DASHBOARD_LIMITS.TOO_MANY_CHANGES.requests} times per hour. Nothing was changed.`,
      action: 'Go back',
    },
  },
  fr: {
    TOO_MANY_TESTS: {
      title: 'Trop de tests',
      text: `Une communauté peut envoyer ${DASHBOARD_LIMITS.TOO_MANY_TESTS.requests} événements de test par heure. Rien n’a été envoyé.`,
      action: 'Retour',
    },
    TOO_MANY_RESENDS: {
      title: 'Trop de renvois',
      text: `Une communauté peut renvoyer ${DASHBOARD_LIMITS.TOO_MANY_RESENDS.requests} événements un à un par heure. Rien n’a été envoyé. Pour en renvoyer beaucoup, choisissez une période.`,
      action: 'Retour',
    },
    TOO_MANY_REPLAYS: {
      title: 'Trop de renvois',
      text: `Une communauté peut renvoyer toute une période ${DASHBOARD_LIMITS.TOO_MANY_REPLAYS.requests} fois par heure. Rien n’a été envoyé.`,
      action: 'Retour',
    },
    TOO_MANY_REVEALS: {
      title: 'Trop d’affichages',
      text: `La clé API et les secrets des webhooks d’une communauté peuvent être affichés ${DASHBOARD_LIMITS.TOO_MANY_REVEALS.requests} fois par heure.`,
      action: 'Retour',
    },
    TOO_MANY_ENDPOINTS: {
      title: 'Trop de nouveaux endpoints',
      text: `Une communauté peut ajouter ${DASHBOARD_LIMITS.TOO_MANY_ENDPOINTS.requests} endpoints par jour. Rien n’a été modifié. Vous pouvez toujours modifier les endpoints existants.`,
      action: 'Retour',
    },
    TOO_MANY_CHANGES: {
      title: 'Trop de modifications',
      text: `Une communauté peut modifier ses endpoints ${DASHBOARD_LIMITS.TOO_MANY_CHANGES.requests} fois par heure. Rien n’a été modifié.`,
      action: 'Retour',
    },
  },
};

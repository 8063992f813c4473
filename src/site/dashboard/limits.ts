/**
 * Limits on what the admins of one community can do that sends requests or fills the database. Manual use stays far
 * below. Counted in the store, so all processes share them.
 */
import { DAY_MS, HOUR_MS } from '../../domain/clock.ts';
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

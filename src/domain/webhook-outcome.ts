import type { Instant } from './clock.ts';
import { DISABLE_AFTER_MS, nextTryAt, parseRetryAfter, type Random } from './webhook-schedule.ts';

/** What a receiver answers when it never wants an event again. */
export const GONE_STATUS = 410;

/** What came back: a status, or nothing. */
export type Answer = { status: number | null; retryAfter: string | undefined };

/** What is known before the try is judged. */
export type TryContext = {
  now: Instant;
  /** Tries made before this one. */
  tries: number;
  failingSince: Instant | null;
  /** A test is tried once, and says nothing of the endpoint's health. */
  isTest: boolean;
  random: Random;
};

export type Judgement = {
  next: { state: 'delivered' } | { state: 'pending'; nextAttemptAt: Instant } | { state: 'failed' };
  health: 'works' | 'fails' | 'unknown';
  /** Set: the endpoint is to be switched off. */
  disable: 'gone' | 'failing' | null;
};

/** Only 2xx is success. A redirect is a failure: following it would sign for whoever it leads to. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299;
}

export function judgeTry({ status, retryAfter }: Answer, context: TryContext): Judgement {
  const { now, tries, failingSince, isTest, random } = context;
  const isDelivered = isSuccess(status);
  if (isTest) {
    return { next: { state: isDelivered ? 'delivered' : 'failed' }, health: 'unknown', disable: null };
  }
  if (isDelivered) return { next: { state: 'delivered' }, health: 'works', disable: null };
  const nextAttemptAt = nextTryAt(now, tries + 1, parseRetryAfter(retryAfter, now), random);
  const isUsedUp = nextAttemptAt === undefined;
  const isGone = status === GONE_STATUS;
  const hasFailedForDays = failingSince !== null && now - failingSince >= DISABLE_AFTER_MS;
  return {
    next: isUsedUp ? { state: 'failed' } : { state: 'pending', nextAttemptAt },
    health: 'fails',
    // One failure after a quiet week says little: only a delivery that was retried for a day says that it goes on.
    disable: isGone ? 'gone' : hasFailedForDays && isUsedUp ? 'failing' : null,
  };
}

import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../clock.ts';

/** The pause before each try, counted from the one before. After the last a delivery has failed. */
const PAUSES_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const;

export const MAX_TRIES = PAUSES_MS.length;

/** Pauses are up to a tenth shorter or longer, so that what failed together does not come back together. */
const JITTER = 0.1;

/** A receiver may ask for a longer pause, but not for one that would never end. */
export const MAX_RETRY_AFTER_MS = DAY_MS;

/** An endpoint that has failed for this long is switched off when the next delivery has used up its tries. */
export const DISABLE_AFTER_MS = 5 * DAY_MS;

/** A whole try, from the name's resolution to the end of the answer, is cut at this. */
export const SEND_TIMEOUT_MS = 15 * SECOND_MS;

/** A try ends within its time limit; a worker that holds a delivery for twice as long is dead. */
export const CLAIM_MS = 2 * SEND_TIMEOUT_MS;

/** Both secrets of an endpoint are valid for this long after a rotation. */
export const ROTATION_MS = DAY_MS;

/** From 0 up to, not including, 1. */
export type Random = () => number;

/**
 * When a delivery that failed is tried again; `undefined` after the last try. `tries` counts those made. The
 * receiver's `Retry-After` is heeded when it asks for more than the schedule.
 */
export function nextTryAt(
  now: Instant,
  tries: number,
  retryAfterMs: number | undefined,
  random: Random,
): Instant | undefined {
  const pauseMs = PAUSES_MS[tries];
  if (pauseMs === undefined) return undefined;
  const jittered = pauseMs * (1 - JITTER + 2 * JITTER * random());
  return now + Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/** The pause that a `Retry-After` header asks for, in seconds or as a date; `undefined` when it asks for none. */
export function parseRetryAfter(header: string | undefined, now: Instant): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND_MS;
  // Only the form that HTTP gives dates: a looser reading would take a bare number or a year for one.
  const date = /^[A-Za-z]{3,9}, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

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

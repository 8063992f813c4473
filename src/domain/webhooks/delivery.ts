/** When a delivery is tried again, what its result means, and how it is signed. */

import { createHmac, randomBytes } from 'node:crypto';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../clock.ts';
import type { Failure } from './failure.ts';

/** How a kind of receiver is tried again. */
export type RetryPolicy = {
  /** The pause before each attempt, counted from the previous one. After the last, the delivery has failed. */
  delaysMs: readonly number[];
  /** Whether a short pause that a busy receiver asks for replaces the schedule. */
  waitsForBusy: boolean;
  /** Whether a response with this status, which is no success, ends the delivery. */
  isFinal(status: number): boolean;
};

export const STANDARD_RETRIES: RetryPolicy = {
  delaysMs: [
    0,
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    10 * HOUR_MS,
  ],
  waitsForBusy: true,
  isFinal: () => false,
};

/** Jitter of up to a tenth, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** The longest pause a receiver can request. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/** Statuses of a receiver that works, but has too much to do. */
const BUSY_STATUSES: readonly (number | null)[] = [429, 503];

/** Only short pauses are exempt from the schedule: a receiver that is away for longer is failing. */
const MAX_BUSY_PAUSE_MS = 5 * MINUTE_MS;

/** After this time, the attempts of an event count even if its receiver is busy, so that they end. */
const BUSY_FOR_MS = HOUR_MS;

/** An endpoint that has failed for this long is disabled when the next delivery runs out of attempts. */
const DISABLE_AFTER_MS = 5 * DAY_MS;

/** The time limit of an attempt, from resolving the name to the end of the response. */
export const SEND_TIMEOUT_MS = 15 * SECOND_MS;

/** An attempt ends within its time limit; a worker that holds a delivery for twice as long is dead. */
export const CLAIM_MS = 2 * SEND_TIMEOUT_MS;

/** Both secrets of an endpoint are valid for this long after a rotation. */
export const ROTATION_MS = DAY_MS;

/** Returns a number from 0 up to, but not including, 1. */
export type Random = () => number;

/**
 * When a failed delivery is retried; `undefined` after the last attempt. `tries` counts previous attempts. The
 * receiver's `Retry-After` applies when it asks for more than the schedule.
 */
export function nextTryAt(
  now: Instant,
  tries: number,
  retryAfterMs: number | undefined,
  random: Random,
  { delaysMs }: RetryPolicy = STANDARD_RETRIES,
): Instant | undefined {
  const pauseMs = delaysMs[tries];
  if (pauseMs === undefined) return undefined;
  const jittered = pauseMs * (1 - JITTER + 2 * JITTER * random());
  return now + Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}

/** The pause requested by a `Retry-After` header, in seconds or as a date; `undefined` if there is none. */
export function parseRetryAfter(header: string | undefined, now: Instant): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND_MS;
  // Only the HTTP date format: a looser parser would accept a bare number or a year.
  const date = /^[A-Za-z]{3,9}, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The status of a receiver that no longer wants events. */
export const GONE_STATUS = 410;

/** The response: a status, or none. Votifier servers accept without a status, and without an error. */
export type Answer = { status: number | null; error?: Failure | null; retryAfter: string | undefined };

/** What an error means for the delivery, if it is not simply retried. */
const CONSEQUENCES: Partial<Record<Failure, 'skip' | 'uncertain' | 'postpone'>> = {
  NAME_MISSING: 'skip',
  NAME_TOO_LONG: 'skip',
  NAME_NOT_MINECRAFT: 'skip',
  ALREADY_CLAIMED: 'skip',
  ANSWER_LOST: 'uncertain',
  DISCORD_RATE_LIMITED: 'postpone',
};

export function consequenceOf(
  error: Failure | null | undefined,
): 'skip' | 'uncertain' | 'postpone' | 'retry' {
  return (error && CONSEQUENCES[error]) || 'retry';
}

/** What is known before the attempt is evaluated. */
export type AttemptContext = {
  now: Instant;
  /** When the event occurred. */
  occursAt: Instant;
  /** Previous attempts. */
  tries: number;
  failingSince: Instant | null;
  /** A test is sent once and does not affect the state of the endpoint. */
  isTest: boolean;
  random: Random;
  retries: RetryPolicy;
};

export type Evaluation = {
  next:
    | { state: 'delivered' | 'failed' | 'skipped' | 'uncertain' }
    | {
        state: 'pending';
        nextAttemptAt: Instant;
        /**
         * Nothing is sent to the endpoint until then, and the attempt uses none of the delivery's attempts. `postponed`:
         * it is not logged either. `busy`: the receiver asked for the pause.
         */
        hold?: 'postponed' | 'busy';
      };
  health: 'works' | 'fails' | 'unknown';
  /** If set, the endpoint is disabled. */
  disable: 'gone' | 'failing' | null;
};

/** Only 2xx is success. Redirects fail: following one would send a signed message to an unknown target. */
function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status <= 299;
}

export function isDelivered({ status, error }: Pick<Answer, 'status' | 'error'>): boolean {
  return status === null ? error === null : isSuccess(status);
}

export function evaluateAttempt(answer: Answer, context: AttemptContext): Evaluation {
  const { status, error, retryAfter } = answer;
  const { now, tries, failingSince, isTest, random, retries } = context;
  const consequence = consequenceOf(error);
  const isDone = isDelivered(answer);
  if (consequence === 'skip') return { next: { state: 'skipped' }, health: 'unknown', disable: null };
  if (consequence === 'uncertain') {
    return { next: { state: 'uncertain' }, health: isTest ? 'unknown' : 'fails', disable: null };
  }
  if (isTest) {
    return { next: { state: isDone ? 'delivered' : 'failed' }, health: 'unknown', disable: null };
  }
  if (consequence === 'postpone') {
    const pauseMs = Math.min(parseRetryAfter(retryAfter, now) ?? 0, MAX_RETRY_AFTER_MS);
    const nextAttemptAt = now + Math.max(pauseMs, SECOND_MS);
    return { next: { state: 'pending', nextAttemptAt, hold: 'postponed' }, health: 'unknown', disable: null };
  }
  if (isDone) return { next: { state: 'delivered' }, health: 'works', disable: null };
  const busyUntil = readBusyPause(answer, context);
  if (busyUntil !== undefined) {
    return {
      next: { state: 'pending', nextAttemptAt: busyUntil, hold: 'busy' },
      health: 'unknown',
      disable: null,
    };
  }
  const isFinal = status !== null && retries.isFinal(status);
  const nextAttemptAt = isFinal
    ? undefined
    : nextTryAt(now, tries + 1, parseRetryAfter(retryAfter, now), random, retries);
  const isExhausted = nextAttemptAt === undefined;
  const isGone = status === GONE_STATUS || error === 'DISCORD_NO_WEBHOOK';
  const hasFailedForDays = failingSince !== null && now - failingSince >= DISABLE_AFTER_MS;
  return {
    next: isExhausted ? { state: 'failed' } : { state: 'pending', nextAttemptAt },
    health: 'fails',
    // One failure after a quiet week is not enough: only a delivery that was retried for a day shows a lasting
    // problem.
    disable: isGone ? 'gone' : hasFailedForDays && isExhausted ? 'failing' : null,
  };
}

/**
 * Until when a busy receiver wants nothing, e.g. because it has used its requests of this minute. Such a pause replaces the
 * schedule, whose second one is five minutes.
 */
function readBusyPause(
  { status, retryAfter }: Answer,
  { now, occursAt, retries }: AttemptContext,
): Instant | undefined {
  const isBusy = retries.waitsForBusy && BUSY_STATUSES.includes(status);
  const pauseMs = isBusy ? parseRetryAfter(retryAfter, now) : undefined;
  if (pauseMs === undefined || pauseMs > MAX_BUSY_PAUSE_MS || now - occursAt >= BUSY_FOR_MS) return undefined;
  return now + Math.max(pauseMs, SECOND_MS);
}

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export type SignedMessage = { id: string; at: Instant; body: string };

export function generateWebhookSecret(random: (size: number) => Buffer = randomBytes): string {
  return SECRET_PREFIX + random(SECRET_BYTES).toString('base64');
}

/**
 * The headers that a receiver verifies, by the Standard Webhooks specification, version 1: HMAC-SHA256 over
 * `id.timestamp.body`. During a secret rotation there are two signatures, and either one is enough.
 */
export function signatureHeaders(
  { id, at, body }: SignedMessage,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at / SECOND_MS));
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(content, secret)}`).join(' '),
  };
}

function sign(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}

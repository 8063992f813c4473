import { type Instant, MINUTE_MS, SECOND_MS } from './clock.ts';

/** The number of requests allowed in a window that starts with the first one. */
export type RateLimit = { requests: number; windowMs: number };

export const DEFAULT_RATE_LIMIT: RateLimit = { requests: 30, windowMs: MINUTE_MS };

/** The current window of a caller: the requests counted, including this one, and when it ends. */
export type RateWindow = { hits: number; resetsAt: Instant };

/**
 * The window after one more request. At `resetsAt` a new one starts. A window never ends later than one that starts now
 * would: a clock that was set back must not lock callers out.
 */
export function nextWindow(current: RateWindow | undefined, now: Instant, windowMs: number): RateWindow {
  if (!current || current.resetsAt <= now) return { hits: 1, resetsAt: now + windowMs };
  return { hits: current.hits + 1, resetsAt: Math.min(current.resetsAt, now + windowMs) };
}

/** The state of a caller, in whole seconds as used in headers. */
export type RateStanding = { isExceeded: boolean; remaining: number; resetSeconds: number };

export function standingOf(window: RateWindow, limit: RateLimit, now: Instant): RateStanding {
  return {
    isExceeded: window.hits > limit.requests,
    remaining: Math.max(0, limit.requests - window.hits),
    resetSeconds: Math.max(1, Math.ceil((window.resetsAt - now) / SECOND_MS)),
  };
}

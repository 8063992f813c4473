import { type Clock, type Instant, MINUTE_MS } from '../../src/domain/clock.ts';
import type { RateLimit } from '../../src/domain/rate-window.ts';
import { NOW } from '../data-sets/shape.ts';

/** Every request is counted as ever; no window of the bench gets this far. */
export const LIFTED_LIMIT: RateLimit = { requests: 1_000_000_000, windowMs: MINUTE_MS };

/** Time as it was when the votes were cast, running on from this moment. */
export function clockAt(real: Clock): Clock {
  const start: Instant = real();
  return () => NOW + real() - start;
}

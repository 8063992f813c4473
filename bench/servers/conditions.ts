import { type Clock, type Instant, MINUTE_MS } from '../../src/domain/clock.ts';
import type { RateLimit } from '../../src/store/rates.ts';
import { NOW } from '../data-sets/shape.ts';

/** Every request is counted as usual; the bench never reaches this limit. */
export const LIFTED_LIMIT: RateLimit = { requests: 1_000_000_000, windowMs: MINUTE_MS };

/** A clock that starts at the time of the votes. */
export function clockAt(real: Clock): Clock {
  const start: Instant = real();
  return () => NOW + real() - start;
}

import { type Instant, MINUTE_MS, SECOND_MS } from './clock.ts';

/** Votes are refused; everything else works. `message` is what the operator tells voters. */
export type Maintenance = { since: Instant; message: string | null };

/** Nobody knows when maintenance ends, so callers are asked to try again in a few minutes. */
export const MAINTENANCE_RETRY_SECONDS = (5 * MINUTE_MS) / SECOND_MS;

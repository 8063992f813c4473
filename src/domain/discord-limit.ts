import { SECOND_MS } from './clock.ts';
import { isRecord } from './record.ts';

/** A response without a usable time. */
const MIN_WAIT_MS = SECOND_MS;

/**
 * How long to send nothing after a 429 of Discord: the header has the seconds rounded up, the body decimals. Another
 * server on the way to Discord may send either, or none.
 */
export function readDiscordWaitMs(retryAfter: string | null, body: unknown): number {
  const seconds = Number(retryAfter ?? (isRecord(body) ? body.retry_after : 0));
  return Math.max(MIN_WAIT_MS, Math.ceil(seconds * SECOND_MS) || 0);
}

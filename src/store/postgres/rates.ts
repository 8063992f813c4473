import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import type { RateLimit, RateWindow } from '../../domain/rate-window.ts';
import { MemoryRateStore, WindowMap } from '../memory-rates.ts';
import type { RateStore } from '../store.ts';
import type { Queryable } from './connection.ts';

const PRUNE_EVERY_MS = 5 * MINUTE_MS;

/** How a counter goes on at `now`, or starts anew where its window has ended: the rule of nextWindow() in the domain. */
export function nextWindow(now: string): string {
  return `
      hits      = CASE WHEN kept.resets_at <= ${now} THEN excluded.hits ELSE kept.hits + excluded.hits END,
      resets_at = CASE WHEN kept.resets_at <= ${now} THEN excluded.resets_at ELSE kept.resets_at END`;
}

const SQL = {
  // The primary key.
  hit: `
    INSERT INTO rate_windows AS kept (caller, hits, resets_at) VALUES ($1, 1, $2::bigint + $3::bigint)
    ON CONFLICT (caller) DO UPDATE SET ${nextWindow('$2')}
    RETURNING hits, resets_at`,
  // What somebody is counting on right now is not waited for, so that nobody waits in a circle.
  prune: `
    DELETE FROM rate_windows WHERE caller IN (
      SELECT caller FROM rate_windows WHERE resets_at <= $1 FOR UPDATE SKIP LOCKED
    )`,
} as const;

/** Counters that all processes share. */
export class PostgresRateStore implements RateStore {
  readonly #database: Queryable;
  readonly #blocked = new WindowMap();
  readonly #alone = new MemoryRateStore();
  #pruneAt: Instant | null = null;

  constructor(database: Queryable) {
    this.#database = database;
  }

  async hit(caller: string, limit: RateLimit, now: Instant): Promise<RateWindow> {
    // A caller above its limit stays so until the window ends: it costs the database nothing more.
    const blocked = this.#blocked.get(caller, now);
    if (blocked) return blocked;
    try {
      const window = await this.#count(caller, limit, now);
      this.noteWindow(caller, window, limit, now);
      return window;
    } catch {
      // A limiter that is away must neither stop the service nor open it to everyone: this process counts alone.
      return this.#alone.hit(caller, limit, now);
    }
  }

  /** Whether the caller is known to be above its limit. */
  isBlocked(caller: string, now: Instant): boolean {
    return this.#blocked.get(caller, now) !== undefined;
  }

  /** Must be told of every window that was counted. */
  noteWindow(caller: string, window: RateWindow, limit: RateLimit, now: Instant): void {
    if (window.hits > limit.requests) this.#blocked.set(caller, window, now);
    this.#pruneNowAndThen(now);
  }

  async #count(caller: string, limit: RateLimit, now: Instant): Promise<RateWindow> {
    const { rows } = await this.#database.query<{ hits: number; resets_at: Instant }>({
      name: 'hit',
      text: SQL.hit,
      values: [caller, now, limit.windowMs],
    });
    if (!rows[0]) throw new Error('the counter gave no row');
    return { hits: rows[0].hits, resetsAt: rows[0].resets_at };
  }

  /** Deletes ended windows while requests come in, so there is no timer to stop. */
  #pruneNowAndThen(now: Instant): void {
    this.#pruneAt ??= now + PRUNE_EVERY_MS;
    if (now < this.#pruneAt) return;
    this.#pruneAt = now + PRUNE_EVERY_MS;
    // Not awaited, and a failure is of no matter: what stays now is deleted the next time.
    this.#database.query({ text: SQL.prune, values: [now] }).catch(() => undefined);
  }
}

import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import {
  type LocalCountObserver,
  MemoryRateStore,
  type RateLimit,
  type RateStore,
  type RateWindow,
  WindowMap,
} from '../rates.ts';
import type { Queryable } from './connection/connection.ts';

const PRUNE_EVERY_MS = 5 * MINUTE_MS;

/**
 * Counts at `now`, or starts a new window when the last one has ended: the SQL form of nextWindow() in the domain.
 */
export function nextWindow(now: string): string {
  return `
      hits      = CASE WHEN kept.resets_at <= ${now} THEN excluded.hits ELSE kept.hits + excluded.hits END,
      resets_at = CASE WHEN kept.resets_at <= ${now} THEN excluded.resets_at ELSE least(kept.resets_at, excluded.resets_at) END`;
}

const SQL = {
  // The primary key.
  hit: `
    INSERT INTO rate_windows AS kept (caller, hits, resets_at) VALUES ($1, 1, $2::bigint + $3::bigint)
    ON CONFLICT (caller) DO UPDATE SET ${nextWindow('$2')}
    RETURNING hits, resets_at`,
  // Skips rows that are locked by another statement, to avoid a deadlock.
  prune: `
    DELETE FROM rate_windows WHERE caller IN (
      SELECT caller FROM rate_windows WHERE resets_at <= $1 FOR UPDATE SKIP LOCKED
    )`,
} as const;

/** Counters shared by all processes. */
export class PostgresRateStore implements RateStore {
  readonly #database: Queryable;
  readonly #blocked = new WindowMap();
  readonly #alone = new MemoryRateStore();
  readonly #onLocalCount: LocalCountObserver;
  #pruneAt: Instant | null = null;

  constructor(database: Queryable, onLocalCount: LocalCountObserver = () => {}) {
    this.#database = database;
    this.#onLocalCount = onLocalCount;
  }

  async hit(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow> {
    // A key over its limit stays blocked until the window ends, without another query, unless its limit was raised.
    const blocked = this.#blockedWindow(rateKey, limit, now);
    if (blocked && blocked.resetsAt <= now + limit.windowMs) return blocked;
    try {
      const window = await this.#count(rateKey, limit, now);
      this.noteWindow(rateKey, window, limit, now);
      return window;
    } catch (error) {
      return this.countAlone(rateKey, limit, now, error);
    }
  }

  /**
   * Without the shared counter, this process counts on its own, so requests are neither rejected nor uncounted. `cause`
   * is known for the first request that could not be counted.
   */
  countAlone(rateKey: string, limit: RateLimit, now: Instant, cause: unknown): RateWindow {
    this.#onLocalCount(cause);
    return this.#alone.count(rateKey, limit, now);
  }

  /** Whether the key is known to be over its limit. Without `limit`, over the one that it had. */
  isBlocked(rateKey: string, now: Instant, limit?: RateLimit): boolean {
    return this.#blockedWindow(rateKey, limit, now) !== undefined;
  }

  #blockedWindow(rateKey: string, limit: RateLimit | undefined, now: Instant): RateWindow | undefined {
    const blocked = this.#blocked.get(rateKey, now);
    return blocked && limit && blocked.hits <= limit.requests ? undefined : blocked;
  }

  /** Must be called for every window that was counted. */
  noteWindow(rateKey: string, window: RateWindow, limit: RateLimit, now: Instant): void {
    if (window.hits > limit.requests) this.#blocked.set(rateKey, window, now);
    this.#pruneIfDue(now);
  }

  async #count(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow> {
    const { rows } = await this.#database.query<{ hits: number; resets_at: Instant }>({
      name: 'hit',
      text: SQL.hit,
      values: [rateKey, now, limit.windowMs],
    });
    if (!rows[0]) throw new Error('the counter gave no row');
    return { hits: rows[0].hits, resetsAt: rows[0].resets_at };
  }

  /** Runs on incoming requests, so there is no timer to stop. */
  #pruneIfDue(now: Instant): void {
    this.#pruneAt ??= now + PRUNE_EVERY_MS;
    if (now < this.#pruneAt) return;
    this.#pruneAt = now + PRUNE_EVERY_MS;
    // Not awaited, and failures are ignored: the next run deletes what is left.
    this.#database.query({ text: SQL.prune, values: [now] }).catch(() => undefined);
  }
}

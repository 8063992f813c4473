import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import type { RateLimit, RateWindow } from '../../domain/rate-window.ts';
import { MemoryRateStore, WindowMap } from '../shared/memory-rates.ts';
import type { RateStore } from '../store.ts';
import type { Queryable } from './connection.ts';

const PRUNE_EVERY_MS = 5 * MINUTE_MS;

/** Counts on at `now`, or starts a new window where the last one has ended: nextWindow() of the domain in SQL. */
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
  // Rows that another statement is counting on are skipped, so that there is no deadlock.
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

  async hit(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow> {
    // A key over its limit stays there until the window ends, without asking the database again.
    const blocked = this.#blocked.get(rateKey, now);
    if (blocked) return blocked;
    try {
      const window = await this.#count(rateKey, limit, now);
      this.noteWindow(rateKey, window, limit, now);
      return window;
    } catch {
      // Without the database requests must neither be refused nor go uncounted: this process counts alone.
      return this.#alone.count(rateKey, limit, now);
    }
  }

  /** Whether the key is known to be over its limit. */
  isBlocked(rateKey: string, now: Instant): boolean {
    return this.#blocked.get(rateKey, now) !== undefined;
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

  /** Runs as requests come in, so there is no timer to stop. */
  #pruneIfDue(now: Instant): void {
    this.#pruneAt ??= now + PRUNE_EVERY_MS;
    if (now < this.#pruneAt) return;
    this.#pruneAt = now + PRUNE_EVERY_MS;
    // Not awaited, and failures are ignored: the next run deletes what is left.
    this.#database.query({ text: SQL.prune, values: [now] }).catch(() => undefined);
  }
}

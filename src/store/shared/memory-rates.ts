import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import { nextWindow, type RateLimit, type RateWindow } from '../../domain/rate-window.ts';
import type { RateStore } from '../store.ts';

const SWEEP_EVERY_MS = MINUTE_MS;

/** Windows by rate key. Calls remove expired ones, so there is no timer to stop. */
export class WindowMap {
  readonly #windows = new Map<string, RateWindow>();
  #sweepAt: Instant = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#windows.size;
  }

  /** The window of this key, unless it has ended. */
  get(rateKey: string, now: Instant): RateWindow | undefined {
    const window = this.#windows.get(rateKey);
    return window && window.resetsAt > now ? window : undefined;
  }

  set(rateKey: string, window: RateWindow, now: Instant): void {
    if (now >= this.#sweepAt) this.#sweep(now);
    this.#windows.set(rateKey, window);
  }

  #sweep(now: Instant): void {
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [rateKey, window] of this.#windows) {
      if (window.resetsAt <= now) this.#windows.delete(rateKey);
    }
  }
}

/** Counts in this process only: enough for SQLite, and the fallback when PostgreSQL is unavailable. */
export class MemoryRateStore implements RateStore {
  readonly #windows = new WindowMap();

  async hit(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow> {
    return this.count(rateKey, limit, now);
  }

  count(rateKey: string, limit: RateLimit, now: Instant): RateWindow {
    const window = nextWindow(this.#windows.get(rateKey, now), now, limit.windowMs);
    this.#windows.set(rateKey, window, now);
    return window;
  }
}

import { type Instant, MINUTE_MS } from '../domain/clock.ts';
import { nextWindow, type RateLimit, type RateWindow } from '../domain/rate-window.ts';
import type { RateStore } from './store.ts';

const SWEEP_EVERY_MS = MINUTE_MS;

/** Windows by caller. Ended ones are swept away by the calls themselves, so there is no timer to stop. */
export class WindowMap {
  readonly #windows = new Map<string, RateWindow>();
  #sweepAt: Instant = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#windows.size;
  }

  /** The caller's window, unless it has ended. */
  get(caller: string, now: Instant): RateWindow | undefined {
    const window = this.#windows.get(caller);
    return window && window.resetsAt > now ? window : undefined;
  }

  set(caller: string, window: RateWindow, now: Instant): void {
    if (now >= this.#sweepAt) this.#sweep(now);
    this.#windows.set(caller, window);
  }

  #sweep(now: Instant): void {
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [caller, window] of this.#windows) {
      if (window.resetsAt <= now) this.#windows.delete(caller);
    }
  }
}

/** Counts in this process alone: all there is beside a SQLite file, and what is left when PostgreSQL is away. */
export class MemoryRateStore implements RateStore {
  readonly #windows = new WindowMap();

  hit(caller: string, limit: RateLimit, now: Instant): RateWindow {
    const window = nextWindow(this.#windows.get(caller, now), now, limit.windowMs);
    this.#windows.set(caller, window, now);
    return window;
  }
}

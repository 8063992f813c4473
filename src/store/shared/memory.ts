import { type Instant, MINUTE_MS } from '../../domain/clock.ts';
import { nextWindow, type RateLimit, type RateWindow } from '../../domain/rate-window.ts';
import { NETWORK_WINDOW_MS, type NetworkStanding } from '../../domain/votes/integrity.ts';
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

/**
 * The accounts that voted from each network within the last hour, in this process only, which is enough for SQLite.
 */
export class MemoryNetworks {
  readonly #networks = new Map<string, Map<string, Instant>>();
  #sweepAt: Instant = Number.NEGATIVE_INFINITY;

  standing(network: string, userId: string, now: Instant): NetworkStanding {
    const accounts = [...(this.#networks.get(network) ?? [])];
    const fresh = accounts.filter(([account, at]) => account !== userId && at > now - NETWORK_WINDOW_MS);
    return { otherVotes: fresh.map(([, at]) => at).toSorted((one, other) => one - other) };
  }

  add(network: string, userId: string, now: Instant): void {
    if (now >= this.#sweepAt) this.#sweep(now);
    const accounts = this.#networks.get(network) ?? new Map<string, Instant>();
    this.#networks.set(network, accounts.set(userId, now));
  }

  #sweep(now: Instant): void {
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [network, accounts] of this.#networks) {
      for (const [account, at] of accounts) if (at <= now - NETWORK_WINDOW_MS) accounts.delete(account);
      if (accounts.size === 0) this.#networks.delete(network);
    }
  }
}

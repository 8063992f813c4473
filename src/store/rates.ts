/** Rate limits: requests per caller, and accounts per network, counted in windows of time. */
import { type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import type { Guild } from '../domain/guild.ts';
import { NETWORK_WINDOW_MS, type NetworkUsage } from '../domain/votes/networks.ts';

/** The number of requests allowed in a window that starts with the first one. */
export type RateLimit = { requests: number; windowMs: number };

export const DEFAULT_RATE_LIMIT: RateLimit = { requests: 30, windowMs: MINUTE_MS };

/** The default limit of a token of the management API. */
export const MANAGE_RATE_LIMIT: RateLimit = { requests: 600, windowMs: MINUTE_MS };

/** The limit of a guild's key: its own one, or that of the service. */
export function rateLimitOf(guild: Pick<Guild, 'rateLimit'> | undefined, limit: RateLimit): RateLimit {
  return guild === undefined || guild.rateLimit === null ? limit : { ...limit, requests: guild.rateLimit };
}

/** The current window of a caller: the requests counted, including this one, and when it ends. */
export type RateWindow = { hits: number; resetsAt: Instant };

/**
 * The window after one more request. At `resetsAt` a new one starts. A window never ends later than one that starts now
 * would: a clock that was set back must not lock callers out.
 */
export function nextWindow(current: RateWindow | undefined, now: Instant, windowMs: number): RateWindow {
  if (!current || current.resetsAt <= now) return { hits: 1, resetsAt: now + windowMs };
  return { hits: current.hits + 1, resetsAt: Math.min(current.resetsAt, now + windowMs) };
}

/** The state of a caller, in whole seconds as used in headers. */
export type RateStatus = { isExceeded: boolean; remaining: number; resetSeconds: number };

export function rateStatusOf(window: RateWindow, limit: RateLimit, now: Instant): RateStatus {
  return {
    isExceeded: window.hits > limit.requests,
    remaining: Math.max(0, limit.requests - window.hits),
    resetSeconds: Math.max(1, Math.ceil((window.resetsAt - now) / SECOND_MS)),
  };
}

/** Called for every request that this process counts on its own, because the shared counter is unavailable. */
export type LocalCountObserver = (cause: unknown) => void;

export interface RateStore {
  /**
   * Counts one request under this key and returns its window. Counting may stop above the limit; the window still
   * shows that. Never rejects: when the shared counter is unavailable, this process counts on its own.
   */
  hit(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow>;
}

const SWEEP_EVERY_MS = MINUTE_MS;

/** The window that `WindowMap.count` found for a key, to be passed again with the next request of the same key. */
export type FoundWindow = { window: RateWindow | undefined };

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

  /**
   * Counts one more request and returns the window. The kept object is changed, not replaced: a new one for each request
   * lives long enough to be copied by the garbage collector twice.
   */
  count(rateKey: string, now: Instant, windowMs: number, found?: FoundWindow): RateWindow {
    if (now >= this.#sweepAt) this.#sweep(now);
    const current = found?.window;
    // One that has ended may have been removed.
    const kept = current && current.resetsAt > now ? current : this.#windows.get(rateKey);
    const window = nextWindow(kept, now, windowMs);
    if (kept) {
      kept.hits = window.hits;
      kept.resetsAt = window.resetsAt;
      if (found) found.window = kept;
    } else {
      const added = { ...window };
      this.#windows.set(rateKey, added);
      if (found) found.window = added;
    }
    return window;
  }

  /** Not for keys that are counted with a `FoundWindow`: `count` would continue with the old object. */
  set(rateKey: string, window: RateWindow, now: Instant): void {
    if (now >= this.#sweepAt) this.#sweep(now);
    this.#windows.set(rateKey, window);
  }

  #sweep(now: Instant): void {
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [rateKey, window] of this.#windows) {
      if (window.resetsAt > now) continue;
      this.#windows.delete(rateKey);
      // Also for a clock that is set back, because callers may have found it.
      window.resetsAt = Number.NEGATIVE_INFINITY;
    }
  }
}

/** Counts in this process only: enough for SQLite, and the fallback when PostgreSQL is unavailable. */
export class MemoryRateStore implements RateStore {
  readonly #windows = new WindowMap();

  async hit(rateKey: string, limit: RateLimit, now: Instant): Promise<RateWindow> {
    return this.count(rateKey, limit, now);
  }

  count(rateKey: string, limit: RateLimit, now: Instant, found?: FoundWindow): RateWindow {
    return this.#windows.count(rateKey, now, limit.windowMs, found);
  }
}

/**
 * The accounts that voted from each network within the last hour, in this process only, which is enough for SQLite.
 */
export class MemoryNetworks {
  readonly #networks = new Map<string, Map<string, Instant>>();
  #sweepAt: Instant = Number.NEGATIVE_INFINITY;

  usage(network: string, userId: string, now: Instant): NetworkUsage {
    const accounts = [...(this.#networks.get(network) ?? [])];
    const fresh = accounts.filter(([account, at]) => account !== userId && at > now - NETWORK_WINDOW_MS);
    return { otherVotes: fresh.map(([, at]) => at).toSorted((one, other) => one - other) };
  }

  /** Returns a function that undoes it. */
  add(network: string, userId: string, now: Instant): () => void {
    if (now >= this.#sweepAt) this.#sweep(now);
    const accounts = this.#networks.get(network) ?? new Map<string, Instant>();
    const before = accounts.get(userId);
    this.#networks.set(network, accounts.set(userId, now));
    return () => {
      if (before === undefined) accounts.delete(userId);
      else accounts.set(userId, before);
    };
  }

  forget(userId: string): void {
    for (const accounts of this.#networks.values()) accounts.delete(userId);
  }

  #sweep(now: Instant): void {
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [network, accounts] of this.#networks) {
      for (const [account, at] of accounts) if (at <= now - NETWORK_WINDOW_MS) accounts.delete(account);
      if (accounts.size === 0) this.#networks.delete(network);
    }
  }
}

import { type Clock, type Instant, SECOND_MS } from './clock.ts';

export type TtlCache<Value> = {
  /** The value that was recently loaded, or is being loaded, under this key; otherwise loads it. */
  get(key: string, load: () => Promise<Value>): Promise<Value>;
  /** Loads again, unless the value was loaded within the last ten seconds. */
  refresh(key: string, load: () => Promise<Value>): Promise<Value>;
};

export type TtlCacheOptions = {
  clock: Clock;
  maxAgeMs: number;
  maxEntries: number;
  /**
   * When the lifetime of an entry starts: at the start of its load (the default), so that a slow load does not extend
   * it, or at its end, so that callers share the work however long it takes.
   */
  ageFrom?: 'start' | 'end';
};

const REFRESH_MS = 10 * SECOND_MS;

type Entry<Value> = { since: Instant; isPending: boolean; value: Promise<Value> };

/** Caches values for a short time and shares concurrent loads. Failures are not cached. */
export function ttlCache<Value>(options: TtlCacheOptions): TtlCache<Value> {
  const { clock, maxAgeMs, maxEntries, ageFrom = 'start' } = options;
  const entries = new Map<string, Entry<Value>>();

  /** Entries from the future are not used: the clock was set back. */
  const isUsable = ({ since, isPending }: Entry<Value>, now: Instant): boolean =>
    (isPending && ageFrom === 'end') || (since <= now && now - since < maxAgeMs);
  const settle = (entry: Entry<Value>): void => {
    entry.isPending = false;
    if (ageFrom === 'end') entry.since = clock();
  };
  const forget = (key: string, entry: Entry<Value>): void => {
    if (entries.get(key) === entry) entries.delete(key);
  };
  /** The cached value if it is usable and younger than `ageMs`; otherwise loads it. */
  const fetch = (key: string, load: () => Promise<Value>, ageMs: number): Promise<Value> => {
    const now = clock();
    const kept = entries.get(key);
    if (kept && isUsable(kept, now) && now - kept.since < ageMs) return kept.value;
    const entry = { since: now, isPending: true, value: load() };
    // Deleted first, so the map stays in insertion order and its first entry is the oldest.
    entries.delete(key);
    entries.set(key, entry);
    entry.value.then(
      () => settle(entry),
      () => forget(key, entry),
    );
    const [oldest] = entries.keys();
    if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    return entry.value;
  };
  return {
    get: (key, load) => fetch(key, load, Number.POSITIVE_INFINITY),
    refresh: (key, load) => fetch(key, load, REFRESH_MS),
  };
}

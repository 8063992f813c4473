import type { Clock, Instant } from '../../domain/clock.ts';

export type BriefCache<Value> = {
  /** The value asked for under this key a short while ago, or being asked for now; otherwise asks for it. */
  get(key: string, load: () => Promise<Value>): Promise<Value>;
};

export type BriefCacheOptions = { clock: Clock; maxAgeMs: number; maxEntries: number };

/** Answers are as old as the question: an answer that took long is not believed for longer. Failures are not kept. */
export function briefCache<Value>({ clock, maxAgeMs, maxEntries }: BriefCacheOptions): BriefCache<Value> {
  const entries = new Map<string, { askedAt: Instant; value: Promise<Value> }>();

  /** A clock that was set back makes nothing fresh. */
  const isFresh = (askedAt: Instant, now: Instant): boolean => askedAt <= now && now - askedAt < maxAgeMs;
  const forget = (key: string, value: Promise<Value>): void => {
    if (entries.get(key)?.value === value) entries.delete(key);
  };
  return {
    get(key, load) {
      const kept = entries.get(key);
      const askedAt = clock();
      if (kept && isFresh(kept.askedAt, askedAt)) return kept.value;
      const value = load();
      // Taken out first, so that the map stays in the order of asking and its first entry is the oldest.
      entries.delete(key);
      entries.set(key, { askedAt, value });
      value.catch(() => forget(key, value));
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
      return value;
    },
  };
}

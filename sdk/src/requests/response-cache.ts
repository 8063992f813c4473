import type { Runtime } from './runtime.ts';
import type { ApiResponse } from './send.ts';

/** The total length of all cached responses: a few thousand vote checks, or twenty full pages. */
const MAX_LENGTH = 2_000_000;

type Entry = { response: ApiResponse; cachedAt: number };

/** Caches recent successful responses for a short time. Errors are not cached, so the next call sends a new request. */
export class ResponseCache {
  readonly #entries = new Map<string, Entry>();
  readonly #cacheMs: number;
  readonly #runtime: Runtime;
  #length = 0;

  constructor(cacheMs: number, runtime: Runtime) {
    this.#cacheMs = cacheMs;
    this.#runtime = runtime;
  }

  get(key: string): ApiResponse | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#isFresh(entry) ? entry.response : undefined;
  }

  set(key: string, response: ApiResponse): void {
    if (this.#cacheMs === 0 || response.length > MAX_LENGTH) return;
    this.#drop(key);
    this.#entries.set(key, { response, cachedAt: this.#runtime.now() });
    this.#length += response.length;
    // Maps iterate in insertion order: drop the expired entries, then the oldest until the rest fits.
    for (const [oldest, entry] of this.#entries) {
      if (this.#isFresh(entry) && this.#length <= MAX_LENGTH) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#length -= this.#entries.get(key)?.response.length ?? 0;
    this.#entries.delete(key);
  }

  /** A negative age means that the clock was set back: treat the entry as expired instead of keeping it longer. */
  #isFresh({ cachedAt }: Entry): boolean {
    const age = this.#runtime.now() - cachedAt;
    return age >= 0 && age < this.#cacheMs;
  }
}

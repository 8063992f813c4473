/**
 * Requests that wait for the next vote of a guild. A vote that this process accepts wakes them at once; votes of other
 * processes are noticed by one poll for all waiting guilds, so waiting clients do not each query the database.
 *
 *   const waiters = new FeedWaiters(store.feed);
 *   await waiters.wait({ guildId, afterSeq, ms: 30_000, signal });
 *   waiters.notify(guildId);
 */
import type { FeedStore } from '../../store/feed.ts';

type Waiter = { afterSeq: number; wake: () => void };

export type Wait = { guildId: string; afterSeq: number; ms: number; signal: AbortSignal };

/** How late a vote of another process may be noticed. */
const POLL_MS = 250;

export class FeedWaiters {
  readonly #feed: Pick<FeedStore, 'heads'>;
  readonly #pollMs: number;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #poll: NodeJS.Timeout | undefined;
  #isPolling = false;
  #isClosed = false;

  constructor(feed: Pick<FeedStore, 'heads'>, pollMs: number = POLL_MS) {
    this.#feed = feed;
    this.#pollMs = pollMs;
  }

  /** How many requests are waiting. */
  get size(): number {
    let size = 0;
    for (const waiters of this.#waiting.values()) size += waiters.size;
    return size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when there may be a newer vote, when the time is up, when the client has gone, or when we stop. */
  wait({ guildId, afterSeq, ms, signal }: Wait): Promise<void> {
    if (this.#isClosed || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
    const waiter = { afterSeq, wake: resolve };
    this.#add(guildId, waiter);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#remove(guildId, waiter);
    });
  }

  /** A vote of this guild was accepted by this process. */
  notify(guildId: string): void {
    for (const { wake } of this.#waiting.get(guildId) ?? []) wake();
  }

  /** Lets all waiting requests finish, and later ones not wait. */
  close(): void {
    this.#isClosed = true;
    for (const guildId of this.#waiting.keys()) this.notify(guildId);
  }

  #add(guildId: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(guildId) ?? new Set();
    this.#waiting.set(guildId, waiters.add(waiter));
    this.#poll ??= setInterval(() => void this.#wakeBehind(), this.#pollMs);
  }

  #remove(guildId: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(guildId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(guildId);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Wakes those that have not seen the newest vote. A failed poll is ignored: the next one follows. */
  async #wakeBehind(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const heads = await this.#feed.heads([...this.#waiting.keys()]);
      for (const [guildId, head] of heads) {
        for (const { afterSeq, wake } of this.#waiting.get(guildId) ?? []) if (head > afterSeq) wake();
      }
    } catch {
      // The database is away. Requests that wait are not failed for that.
    } finally {
      this.#isPolling = false;
    }
  }
}

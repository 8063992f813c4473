import type { Store } from './store.ts';
import type { FeedStore } from './votes/feed.ts';

export type Listeners = {
  /** A vote was accepted. */
  onVote(guildId: string): void;
  /** Webhook events may have been queued. */
  onEvents(guildId: string): void;
  /** Whether the key of the guild opens it may have changed. */
  onAccess(guildId: string): void;
};

/** Wraps a store to notify this process of its writes, without waiting for the next poll. */
export function announceChanges(store: Store, { onVote, onEvents, onAccess }: Listeners): Store {
  const cast: Store['votes']['cast'] = async (vote, evidence) => {
    const outcome = await store.votes.cast(vote, evidence);
    if (outcome.kind === 'accepted') {
      onVote(vote.guildId);
      onEvents(vote.guildId);
    }
    return outcome;
  };
  const claim: Store['claims']['claim'] = async (request) => {
    const result = await store.claims.claim(request);
    if (result.kind === 'done' && result.claimed) onEvents(request.guildId);
    return result;
  };
  const voidVotes: Store['moderation']['void'] = async (request) => {
    const voided = await store.moderation.void(request);
    if (voided > 0) onEvents(request.guildId);
    return voided;
  };
  /** The listener is called after the change, so that what it reads is up to date. */
  const announceAccess =
    <Given extends unknown[], Result>(change: (guildId: string, ...given: Given) => Promise<Result>) =>
    async (guildId: string, ...given: Given): Promise<Result> => {
      const result = await change(guildId, ...given);
      onAccess(guildId);
      return result;
    };
  const { setKey, setSanction, remove } = store.guilds;
  return {
    ...store,
    votes: { ...store.votes, cast },
    claims: { ...store.claims, claim },
    moderation: { ...store.moderation, void: voidVotes },
    guilds: {
      ...store.guilds,
      setKey: announceAccess(setKey),
      setSanction: announceAccess(setSanction),
      remove: announceAccess(remove),
    },
  };
}

type Waiter = { afterSeq: number; wake: () => void };

export type Wait = { guildId: string; afterSeq: number; ms: number; signal: AbortSignal };

/** Measures how long requests wait. `after` returns a function that cancels the call. */
export type WaitTimer = { now(): number; after(ms: number, call: () => void): () => void };

/** Independent of the clock, which can be set back. */
const MONOTONIC_TIMER: WaitTimer = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** The maximum delay for votes of other processes. */
const POLL_MS = 250;

/**
 * Requests that wait for the next vote of a guild. A vote accepted by this process wakes them immediately; votes of
 * other processes are found by one poll for all waiting guilds, so waiting clients do not each query the database.
 *
 *   const waiters = new FeedWaiters(store.feed);
 *   await waiters.wait({ guildId, afterSeq, ms: 30_000, signal });
 *   waiters.notify(guildId);
 */
export class FeedWaiters {
  readonly #feed: Pick<FeedStore, 'changedHeads'>;
  readonly #pollMs: number;
  readonly #timer: WaitTimer;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #poll: NodeJS.Timeout | undefined;
  #isPolling = false;
  #isClosed = false;

  constructor(
    feed: Pick<FeedStore, 'changedHeads'>,
    pollMs: number = POLL_MS,
    timer: WaitTimer = MONOTONIC_TIMER,
  ) {
    this.#feed = feed;
    this.#pollMs = pollMs;
    this.#timer = timer;
  }

  /** Starts a waiting time, and tells how much of it is left. */
  startWaiting(ms: number): { readonly msLeft: number } {
    const timer = this.#timer;
    const end = timer.now() + ms;
    return {
      get msLeft() {
        return end - timer.now();
      },
    };
  }

  /** The number of waiting requests. */
  get size(): number {
    let size = 0;
    for (const waiters of this.#waiting.values()) size += waiters.size;
    return size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when there may be a newer vote, the time is up, the client has disconnected, or the server stops. */
  wait({ guildId, afterSeq, ms, signal }: Wait): Promise<void> {
    if (this.#isClosed || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#timer.after(ms, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    const waiter = { afterSeq, wake: resolve };
    this.#add(guildId, waiter);
    return promise.finally(() => {
      cancel();
      this.#remove(guildId, waiter);
    });
  }

  /** This process accepted a vote of the guild, or changed who may read its votes. */
  notify(guildId: string): void {
    for (const { wake } of this.#waiting.get(guildId) ?? []) wake();
  }

  /** Completes all waiting requests, and lets later ones return immediately. */
  close(): void {
    this.#isClosed = true;
    for (const guildId of this.#waiting.keys()) this.notify(guildId);
  }

  #add(guildId: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(guildId) ?? new Set();
    this.#waiting.set(guildId, waiters.add(waiter));
    this.#poll ??= setInterval(() => void this.#wakeOutdated(), this.#pollMs);
  }

  #remove(guildId: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(guildId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(guildId);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Wakes requests that have not seen the latest vote. A failed poll is ignored: the next one follows. */
  async #wakeOutdated(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      const heads = await this.#feed.changedHeads([...this.#waiting.keys()]);
      for (const [guildId, head] of heads) {
        for (const { afterSeq, wake } of this.#waiting.get(guildId) ?? []) if (head > afterSeq) wake();
      }
    } catch {
      // The database is unavailable, but waiting requests must not fail because of it.
    } finally {
      this.#isPolling = false;
    }
  }
}

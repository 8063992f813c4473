import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SECOND_MS } from '../../domain/clock.ts';
import type { TestVote } from '../../domain/votes/test-vote.ts';
import { FeedWaiters } from '../../store/announce.ts';
import type { Store } from '../../store/store.ts';
import type { Endpoints } from '../../store/webhooks/admin.ts';
import type { DeliveryRecord } from '../../store/webhooks/store.ts';
import type { LiveOptions } from '../deps.ts';

export const LIVE_KINDS = ['votes', 'deliveries', 'tests'] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

const DEFAULTS: LiveOptions = {
  lifetimeMs: 60 * SECOND_MS,
  heartbeatMs: 15 * SECOND_MS,
  deliveriesMs: 2 * SECOND_MS,
  gapMs: SECOND_MS,
  maxPerUser: 6,
  maxPerGuild: 50,
};

/** The number of deliveries that the log shows. */
export const LIVE_DELIVERIES = 50;

/** `onEnd` is called when the server stops. */
type Listener = { onState(state: string): void; onEnd(): void };
type Channel = {
  guildId: string;
  kind: LiveKind;
  state: string | undefined;
  listeners: Set<Listener>;
  stopping: AbortController;
};

type ChannelDeps = {
  store: Pick<Store, 'feed' | 'testVotes'>;
  webhooks: Pick<Endpoints, 'deliveryLog'>;
  feedWaiters?: FeedWaiters;
  live?: Partial<LiveOptions>;
};

/**
 * The current state of a community's votes, deliveries or test vote, and every later one. A page with a different state
 * is out of date. Subscribers to the same community and kind share one reader, which waits for the next vote together
 * with requests to the feed.
 *
 *   const unsubscribe = channels.subscribe(guildId, 'votes', { onState: (state) => …, onEnd: () => … });
 */
export class LiveChannels {
  readonly options: LiveOptions;
  readonly #deps: ChannelDeps;
  readonly #waiters: FeedWaiters;
  readonly #channels = new Map<string, Channel>();

  constructor(deps: ChannelDeps) {
    this.#deps = deps;
    this.#waiters = deps.feedWaiters ?? new FeedWaiters(deps.store.feed);
    this.options = { ...DEFAULTS, ...deps.live };
  }

  /** Ends all subscriptions. */
  close(): void {
    this.#waiters.close();
  }

  async stateOf(guildId: string, kind: LiveKind): Promise<string> {
    const { store, webhooks } = this.#deps;
    if (kind === 'deliveries') return deliveriesState(await webhooks.deliveryLog(guildId, LIVE_DELIVERIES));
    if (kind === 'tests') return testsState(await store.testVotes.find(guildId));
    return String((await store.feed.heads([guildId])).get(guildId) ?? 0);
  }

  /** Calls the listener with the current state and every later one, until the returned function is called. */
  subscribe(guildId: string, kind: LiveKind, listener: Listener): () => void {
    const key = `${kind} ${guildId}`;
    const channel = this.#channels.get(key) ?? this.#open(key, guildId, kind);
    channel.listeners.add(listener);
    if (channel.state !== undefined) listener.onState(channel.state);
    return () => {
      channel.listeners.delete(listener);
      if (channel.listeners.size > 0 || this.#channels.get(key) !== channel) return;
      this.#channels.delete(key);
      channel.stopping.abort();
    };
  }

  #open(key: string, guildId: string, kind: LiveKind): Channel {
    const stopping = new AbortController();
    const channel: Channel = { guildId, kind, state: undefined, listeners: new Set(), stopping };
    this.#channels.set(key, channel);
    void this.#follow(channel);
    return channel;
  }

  async #follow(channel: Channel): Promise<void> {
    const { guildId, kind, stopping } = channel;
    const { signal } = stopping;
    const { lifetimeMs, deliveriesMs, gapMs } = this.options;
    while (!signal.aborted && !this.#waiters.isClosed) {
      // If the query fails, it is repeated in the next round.
      const state = await this.stateOf(guildId, kind).catch(() => channel.state);
      if (state !== undefined && state !== channel.state) {
        channel.state = state;
        for (const { onState } of channel.listeners) onState(state);
        await pause(gapMs, undefined, { signal }).catch(() => undefined);
      }
      // The others have no sequence number to wait for: they are read again after a vote, and every `deliveriesMs`.
      const afterSeq = kind === 'votes' ? Number(channel.state ?? 0) : Number.MAX_SAFE_INTEGER;
      const ms = kind === 'votes' ? lifetimeMs : deliveriesMs;
      await this.#waiters.wait({ guildId, afterSeq, ms, signal });
    }
    for (const { onEnd } of channel.listeners) onEnd();
  }
}

export function deliveriesState(deliveries: readonly DeliveryRecord[]): string {
  return hash('sha256', JSON.stringify(deliveries), 'hex').slice(0, 16);
}

export function testsState(vote: TestVote | null): string {
  return vote ? `${vote.castAt}-${vote.claim?.claimedAt ?? 'open'}` : 'none';
}

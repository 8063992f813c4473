/**
 * Live updates for open pages of a community: the current state of its votes or deliveries, and every later one.
 * Subscribers to the same state share one reader, which waits for the next vote together with requests to the feed.
 *
 *   const unsubscribe = channels.subscribe(guildId, 'votes', { onState: (state) => …, onEnd: () => … });
 */
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SECOND_MS } from '../domain/clock.ts';
import { FeedWaiters } from '../store/announce.ts';
import type { Store } from '../store/store.ts';
import type { Endpoints } from '../store/webhooks/admin.ts';
import type { DeliveryRecord } from '../store/webhooks/store.ts';

export const LIVE_KINDS = ['votes', 'deliveries'] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

export type LiveOptions = {
  lifetimeMs: number;
  /** How often a comment is sent, so that proxies keep the connection. */
  heartbeatMs: number;
  /** How often deliveries are read while a page shows them. */
  deliveriesMs: number;
  /** The shortest time between two events of a community. */
  gapMs: number;
  maxPerUser: number;
  maxPerGuild: number;
};

const DEFAULTS: LiveOptions = {
  lifetimeMs: 60 * SECOND_MS,
  heartbeatMs: 15 * SECOND_MS,
  deliveriesMs: 2 * SECOND_MS,
  gapMs: SECOND_MS,
  maxPerUser: 6,
  maxPerGuild: 50,
};

/** As many deliveries as the log shows. */
export const LIVE_DELIVERIES = 50;

/** `onEnd`: the server stops. */
type Listener = { onState(state: string): void; onEnd(): void };
type Channel = {
  guildId: string;
  kind: LiveKind;
  state: string | undefined;
  listeners: Set<Listener>;
  stopping: AbortController;
};

type LiveDeps = {
  store: Pick<Store, 'feed'>;
  webhooks: Pick<Endpoints, 'deliveryLog'>;
  feedWaiters?: FeedWaiters;
  live?: Partial<LiveOptions>;
};

/** What a page shows is identified by a state; pages with another state than the current one are out of date. */
export class LiveChannels {
  readonly options: LiveOptions;
  readonly #deps: LiveDeps;
  readonly #waiters: FeedWaiters;
  readonly #channels = new Map<string, Channel>();

  constructor(deps: LiveDeps) {
    this.#deps = deps;
    this.#waiters = deps.feedWaiters ?? new FeedWaiters(deps.store.feed);
    this.options = { ...DEFAULTS, ...deps.live };
  }

  /** Ends everything that follows. */
  close(): void {
    this.#waiters.close();
  }

  async stateOf(guildId: string, kind: LiveKind): Promise<string> {
    const { store, webhooks } = this.#deps;
    if (kind === 'deliveries') return deliveriesState(await webhooks.deliveryLog(guildId, LIVE_DELIVERIES));
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
      // If the database does not respond, it is queried again in the next round.
      const state = await this.stateOf(guildId, kind).catch(() => channel.state);
      if (state !== undefined && state !== channel.state) {
        channel.state = state;
        for (const { onState } of channel.listeners) onState(state);
        await pause(gapMs, undefined, { signal }).catch(() => undefined);
      }
      // Deliveries have no number to wait for: a vote or the next round leads to them.
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

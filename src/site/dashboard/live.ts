/**
 * Notifies open pages of the dashboard, by server-sent events, when votes, deliveries or the
 * test vote of their community change.
 * The page then loads the changed parts from its own URL, so everything is rendered and authorized in one place.
 *
 * Every update is authorized like a request: a user who signed out or is no longer an admin gets no more of them. A
 * stream lasts for a minute. Then the browser reconnects with the last state it saw.
 */

import { hash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import type { TestVote } from '../../domain/votes/test-vote.ts';
import { FeedWaiters } from '../../store/announce.ts';
import type { Store } from '../../store/store.ts';
import type { Endpoints } from '../../store/webhooks/admin.ts';
import type { DeliveryRecord } from '../../store/webhooks/store.ts';
import type { LiveOptions } from '../deps.ts';
import { PageError } from '../errors/page-error.ts';
import { type Html, html } from '../layout/html.ts';
import { adminOf, authorizeAgain, type DashboardDeps } from './access.ts';
import { frameMessages } from './frame-messages.ts';

/** For pages that are kept up to date. */
export type LiveDeps = DashboardDeps & { live: LiveChannels };

const RETRY_MS = SECOND_MS;
const RETRY_AFTER_SECONDS = 30;

/** Connects the page (live.js), whose parts with `data-live` and an id are then kept up to date. */
export function liveSource(locale: Locale, guildId: string, kind: LiveKind, state: string): Html {
  return html`<p class="muted small-text live" hidden data-live-from="/dashboard/${guildId}/live?of=${kind}" data-live-state="${state}">${frameMessages[locale].live}</p>`;
}

/** `GET /dashboard/<guild_id>/live?of=votes&after=<state>` */
export function liveRoute(app: FastifyInstance, deps: LiveDeps): void {
  const { live } = deps;
  const { lifetimeMs, heartbeatMs, maxPerUser, maxPerGuild } = live.options;
  const counts = new Map<string, number>();

  function countUp(key: string, max: number): void {
    const count = counts.get(key) ?? 0;
    if (count >= max) throw new PageError('TOO_MANY_STREAMS', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    counts.set(key, count + 1);
  }

  function countDown(key: string): void {
    const count = (counts.get(key) ?? 1) - 1;
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
  }

  /** Counts the stream for the user and for the community until it closes. */
  function openStream(userId: string, guildId: string): PassThrough {
    countUp(userId, maxPerUser);
    try {
      countUp(guildId, maxPerGuild);
    } catch (error) {
      countDown(userId);
      throw error;
    }
    const stream = new PassThrough();
    stream.once('close', () => {
      for (const key of [userId, guildId]) countDown(key);
    });
    return stream;
  }

  app.addHook('preClose', (done) => {
    live.close();
    done();
  });

  app.get('/live', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const kind = LIVE_KINDS.find((known) => known === firstText(request.query, 'of')) ?? 'votes';
    reply
      .type('text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store, no-transform')
      .header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return reply.send('');
    const stream = openStream(person.userId, guildId);
    stream.write(`retry: ${RETRY_MS}\n\n`);
    let seen = lastSeen(request);
    const sendState = (state: string): void => {
      // A page that names no state is up to date with the first one.
      const message = seen === undefined || seen === state ? ': \n\n' : `event: change\ndata: ${state}\n\n`;
      if (stream.writable) stream.write(`id: ${state}\n${message}`);
      seen = state;
    };
    const unsubscribe = live.subscribe(guildId, kind, {
      // If the check fails for any reason, the browser reconnects and gets the response for it.
      onState: (state) =>
        void authorizeAgain(request, deps).then(
          () => sendState(state),
          () => stream.end(),
        ),
      onEnd: () => stream.end(),
    });
    const heartbeat = setInterval(() => stream.write(': keep-alive\n\n'), heartbeatMs);
    const end = setTimeout(() => stream.end(), lifetimeMs);
    stream.once('close', () => {
      clearInterval(heartbeat);
      clearTimeout(end);
      unsubscribe();
    });
    return reply.send(stream);
  });
}

/** Browsers send the header when they reconnect; the parameter is for the first connection. */
function lastSeen(request: FastifyRequest): string | undefined {
  return firstText(request.headers, 'last-event-id') || firstText(request.query, 'after') || undefined;
}

const LIVE_KINDS = ['votes', 'deliveries', 'tests'] as const;
type LiveKind = (typeof LIVE_KINDS)[number];

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
 * The current state of a community's votes, deliveries or test vote, and every later one. A page with a different state is out of
 * date. Subscribers to the same community and kind share one reader, which waits for the next vote together with
 * requests to the feed.
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

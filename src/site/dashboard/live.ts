/**
 * Notifies open pages of the dashboard, by server-sent events, when votes, deliveries or the test vote of their
 * community change. The page then loads the changed parts from its own URL, so everything is rendered and authorized in
 * one place.
 *
 * Every update is authorized like a request: a user who signed out or is no longer an admin gets no more of them. A
 * stream lasts for a minute. Then the browser reconnects with the last state it saw.
 */

import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SECOND_MS } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { PageError } from '../errors/page-error.ts';
import { type Html, html } from '../layout/html.ts';
import { adminOf, authorizeAgain, type DashboardDeps } from './access.ts';
import { frameMessages } from './frame-messages.ts';
import { LIVE_KINDS, type LiveChannels, type LiveKind } from './live-channels.ts';

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

import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { devNull } from 'node:os';
import fastifyPlugin from 'fastify-plugin';
import type { Logger } from 'pino';
import { callerNetwork } from '../domain/address.ts';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { systemCode } from '../domain/system-error.ts';

/** Every limit on connections, with what the log says when it is applied. */
const MESSAGES = {
  connections: 'connection closed: VOTARY_MAX_CONNECTIONS connections are open',
  connections_per_network:
    'connection closed: its network has VOTARY_MAX_CONNECTIONS_PER_NETWORK connections open',
  pipelined_requests:
    'connection closed: it sent more than VOTARY_MAX_PIPELINED_REQUESTS requests without waiting for a response',
  pipelined_requests_total: 'connection closed: too many pipelined requests are waiting on all connections',
  unread_output: 'connection closed: the client does not read its response',
  slow_reading: 'connection closed: the client reads its response too slowly',
  file_descriptors:
    'new connections are closed: no file descriptors are left; raise the limit (ulimit -Hn, LimitNOFILE=) above VOTARY_MAX_CONNECTIONS',
};

export type ConnectionLimit = keyof typeof MESSAGES;

export const CONNECTION_LIMITS = Object.keys(MESSAGES).filter(isConnectionLimit);

/** Called each time a limit is applied. `network` is the client's, where that helps to find the cause. */
export type ReportLimit = (limit: ConnectionLimit, network?: string) => void;

export type LimitReportDeps = {
  logger: Logger;
  metrics: { connectionLimited(limit: ConnectionLimit): void };
  clock: Clock;
};

export function createLimitReport({ logger, metrics, clock }: LimitReportDeps): ReportLimit {
  const countUnlogged = countUntilLogged<ConnectionLimit>(clock);
  return (limit, network) => {
    metrics.connectionLimited(limit);
    const times = countUnlogged(limit);
    if (times > 0) logger.warn({ limit, times, network }, MESSAGES[limit]);
  };
}

/**
 * Allows one log line per minute and kind, so that a flood does not fill the log. Returns how often the kind occurred
 * since the last line if another is due, otherwise 0.
 */
export function countUntilLogged<Kind extends string>(clock: Clock): (kind: Kind) => number {
  const loggedAt = new Map<Kind, Instant>();
  const unlogged = new Map<Kind, number>();
  return (kind) => {
    const times = (unlogged.get(kind) ?? 0) + 1;
    unlogged.set(kind, times);
    const now = clock();
    if (now - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS) return 0;
    loggedAt.set(kind, now);
    unlogged.set(kind, 0);
    return times;
  };
}

function isConnectionLimit(name: string): name is ConnectionLimit {
  return Object.hasOwn(MESSAGES, name);
}

export type ConnectionCaps = {
  maxConnections: number;
  /** For each IPv4 address or IPv6 /64; 0 turns the limit off. */
  maxConnectionsPerNetwork: number;
  /** Peers that the limit per network does not apply to: a proxy carries the connections of many clients. */
  isTrusted: (address: string) => boolean;
  report: ReportLimit;
};

/** Must be registered after everything else that listens for connections, such as the HTTPS gate. */
export const connectionCaps = fastifyPlugin<ConnectionCaps>((app, caps, done) => {
  limitConnections(app.server, caps);
  const descriptors = watchDescriptors(caps.report);
  app.addHook('onClose', (_instance, closed) => {
    descriptors.stop();
    closed();
  });
  done();
});

/**
 * Opens a file every second to detect when no descriptor is free: the system then closes new connections, and Node
 * reports nothing.
 */
export function watchDescriptors(
  report: ReportLimit,
  probe: () => void = () => closeSync(openSync(devNull, 'r')),
): { stop(): void } {
  const check = (): void => {
    try {
      probe();
    } catch (error) {
      if (/^E[MN]FILE$/.test(systemCode(error) ?? '')) report('file_descriptors');
    }
  };
  const timer = setInterval(check, SECOND_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Closes connections over a limit as soon as they are accepted, before any TLS. Call it after everything else that
 * listens for connections and before the server listens, because it takes over the existing listeners.
 */
export function limitConnections(server: Server, caps: ConnectionCaps): void {
  const { maxConnections, maxConnectionsPerNetwork, isTrusted, report } = caps;
  server.maxConnections = maxConnections;
  server.on('drop', () => report('connections'));
  if (maxConnectionsPerNetwork === 0) return;

  const open = new Map<string, number>();
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    // A peer that has already disconnected has no address, and needs no limit.
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && !isTrusted(remoteAddress)) {
      const network = callerNetwork(remoteAddress);
      const count = open.get(network) ?? 0;
      if (count >= maxConnectionsPerNetwork) {
        socket.destroy();
        return report('connections_per_network', network);
      }
      open.set(network, count + 1);
      socket.once('close', () => release(open, network));
    }
    for (const listener of listeners) Reflect.apply(listener, server, [socket]);
  });
}

function release(open: Map<string, number>, network: string): void {
  const count = (open.get(network) ?? 0) - 1;
  if (count > 0) open.set(network, count);
  else open.delete(network);
}

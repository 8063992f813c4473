import { closeSync, openSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { devNull } from 'node:os';
import fastifyPlugin from 'fastify-plugin';
import { callerNetwork } from '../domain/address.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { systemCode } from '../domain/system-error.ts';

export const CONNECTION_LIMITS = [
  'connections',
  'connections_per_network',
  'pipelined_requests',
  'pipelined_requests_total',
  'unread_output',
  'slow_reading',
  'file_descriptors',
] as const;

export type ConnectionLimit = (typeof CONNECTION_LIMITS)[number];

/** Called each time a limit is applied. `network` is the client's, where that helps to find the cause. */
export type ReportLimit = (limit: ConnectionLimit, network?: string) => void;

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

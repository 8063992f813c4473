import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import fastifyPlugin from 'fastify-plugin';
import { callerNetwork } from '../../domain/address.ts';
import type { ReportLimit } from './limit-report.ts';

export type ConnectionCaps = {
  maxConnections: number;
  /** For each IPv4 address or IPv6 /64; 0 turns the limit off. */
  maxConnectionsPerNetwork: number;
  /** Peers that the limit per network does not apply to: a proxy carries everybody's connections. */
  isTrusted: (address: string) => boolean;
  report: ReportLimit;
};

/** Registered after whatever else listens for connections, the HTTPS gate for one. */
export const connectionCaps = fastifyPlugin<ConnectionCaps>((app, caps, done) => {
  limitConnections(app.server, caps);
  done();
});

/**
 * Closes connections over a limit as soon as they are accepted, before any TLS. Call it after everything else that
 * listens for connections and before the server listens, because it takes over the present listeners.
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
    // A peer that is gone already has no address, and no use for a limit.
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

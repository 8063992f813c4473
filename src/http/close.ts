import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND_MS } from '../domain/clock.ts';

/** The open connections of a server, including those in the TLS handshake, which Node's own list omits. */
export type Connections = { destroyAll(): void };

/** Must be called before the server listens. */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** After `deadlineMs`, requests that still run are cut off. */
export type StopOptions = { deadlineMs?: number };

const IDLE_CHECK_MS = 50;

/** The part of a Fastify instance that is needed. */
type Stoppable = { server: Pick<Server, 'closeIdleConnections'>; close(): PromiseLike<unknown> };

/**
 * Stops listening, completes open requests, and resolves when the last connection is closed. Node keeps connections
 * that become idle after the stop until their keep-alive time is over, so idle ones are closed repeatedly.
 */
export async function closeGracefully(
  app: Stoppable,
  connections: Connections,
  { deadlineMs = 10 * SECOND_MS }: StopOptions = {},
): Promise<void> {
  const closed = app.close();
  const idleCheck = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const deadline = setTimeout(() => connections.destroyAll(), deadlineMs);
  try {
    await closed;
  } finally {
    clearInterval(idleCheck);
    clearTimeout(deadline);
  }
}

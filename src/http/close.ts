import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SECOND_MS } from '../domain/clock.ts';

/** The open connections of a server, including those in the TLS handshake, which Node's own list omits. */
export type Connections = {
  /** How many connections were accepted since the start. */
  accepted(): number;
  /** Whether a connection is open on which nothing has arrived yet. */
  someUnused(): boolean;
  destroyAll(): void;
};

/** Must be called before the server listens. */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    accepted: () => accepted,
    someUnused: () => sockets.values().some((socket) => socket.bytesRead === 0),
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** After `deadlineMs`, requests that still run are cut off. */
export type StopOptions = { deadlineMs?: number };

const IDLE_CHECK_MS = 50;
/** How long a connection that was accepted at the end may take to send its request. */
const FIRST_BYTE_MS = SECOND_MS;
/** How long to look for a moment in which no connection waits to be accepted. */
const QUIET_SEARCH_MS = SECOND_MS;
/** A turn of the event loop that took longer did other work, and connections may have arrived meanwhile. */
const EMPTY_TURN_MS = 0.5;

/** The part of a Fastify instance that is needed. */
type Stoppable = { server: Server; close(): PromiseLike<unknown> };

/**
 * Stops listening, completes open requests, and resolves when the last connection is closed. Node keeps connections
 * that become idle after the stop until their keep-alive time is over, so idle ones are closed repeatedly.
 */
export async function closeGracefully(
  app: Stoppable,
  connections: Connections,
  { deadlineMs = 10 * SECOND_MS }: StopOptions = {},
): Promise<void> {
  await untilQueueIsEmpty(connections);
  // Not the method of the HTTP server, which also closes connections that have not sent their first request yet.
  const closed = new Promise((resolve) => TcpServer.prototype.close.call(app.server, resolve));
  const stoppedAt = performance.now();
  const idleCheck = setInterval(() => {
    // Node counts a connection as idle until its first request is read, even if the request is on its way.
    if (connections.someUnused() && performance.now() - stoppedAt < FIRST_BYTE_MS) return;
    app.server.closeIdleConnections();
  }, IDLE_CHECK_MS);
  const deadline = setTimeout(() => connections.destroyAll(), deadlineMs);
  try {
    await closed;
    await app.close();
  } finally {
    clearInterval(idleCheck);
    clearTimeout(deadline);
  }
}

/**
 * Closing the listener resets the connections that wait to be accepted, and Node accepts one in each turn of its event
 * loop. A proxy does not repeat a form that was sent on such a connection, so this resolves at the end of a turn that
 * found none.
 */
async function untilQueueIsEmpty(connections: Connections): Promise<void> {
  const giveUpAt = performance.now() + QUIET_SEARCH_MS;
  // The rest of the turn in which this was called may not look for connections.
  await nextTurn();
  while (performance.now() < giveUpAt) {
    const turnStart = performance.now();
    const acceptedBefore = connections.accepted();
    await nextTurn();
    const isEmptyTurn = performance.now() - turnStart < EMPTY_TURN_MS;
    if (isEmptyTurn && connections.accepted() === acceptedBefore) return;
  }
}

/** Starts to listen, and stops without cutting off requests. */
import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SECOND_MS } from '../domain/clock.ts';
import { systemCode, systemReason } from '../domain/system-error.ts';

/** The service cannot listen on the configured address. The message is one line that names the variable to change. */
export class ListenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ListenError';
  }
}

export type ListenTarget = { host: string; port: number };

/** The part of a Fastify instance that is needed. */
type Listener = { listen(target: ListenTarget & { listenTextResolver: () => string }): Promise<unknown> };

/** Fastify would log a line with the wrong protocol, because it did not create the server. */
const listenTextResolver = (): string => 'accepting connections';

export async function listen(app: Listener, { host, port }: ListenTarget): Promise<void> {
  try {
    // Resolved here: for the name "localhost" Fastify would open a second server, without our HTTPS gate and graceful
    // stop.
    const { address } = await lookup(host, { order: 'ipv4first' });
    await app.listen({ host: address, port, listenTextResolver });
  } catch (error) {
    throw toListenError(error, { host, port }, 'VOTARY_PORT');
  }
}

export function toListenError(
  error: unknown,
  { host, port }: ListenTarget,
  portVariable: string,
  hostVariable = 'VOTARY_HOST',
): unknown {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return new ListenError(
        `${portVariable} ${port} is in use on ${host}: stop the program that listens there, or set another port`,
      );
    case 'EACCES':
      return new ListenError(
        `${portVariable} ${port} cannot be opened by this user: set a port above 1023, or grant the process permission`,
      );
    case 'EADDRNOTAVAIL':
      return new ListenError(
        `${hostVariable} ${host} is not an address of this machine: set one that is, 127.0.0.1 for this machine only, or 0.0.0.0 for all`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ListenError(
        `${hostVariable} ${host} does not resolve to an address: ${systemReason(error)}`,
      );
    default:
      return error;
  }
}

/** The open connections of a server, including those in the TLS handshake, which Node's own list omits. */
export type Connections = {
  /** How many connections were accepted since the start. */
  accepted(): number;
  /** Whether a connection is open on which nothing has arrived yet. */
  hasUnused(): boolean;
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
    hasUnused: () => sockets.values().some((socket) => socket.bytesRead === 0),
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** `isDraining`: the service is about to stop, and asks clients to close their connections. */
export type Drain = { isDraining: boolean };

/** Requests that are still running after `deadlineMs` are cut off. */
export type StopOptions = { deadlineMs?: number };

const IDLE_CHECK_MS = 50;
/** How long a connection that was accepted at the end may take to send its request. */
const FIRST_BYTE_MS = SECOND_MS;
/** How long to wait for a moment in which no connection is waiting to be accepted. */
const QUIET_SEARCH_MS = SECOND_MS;
/** An iteration of the event loop that took longer did other work, and connections may have arrived in the meantime. */
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
  await waitForEmptyQueue(connections);
  // Not the method of the HTTP server, which also closes connections that have not sent their first request yet.
  const closed = new Promise((resolve) => TcpServer.prototype.close.call(app.server, resolve));
  const stoppedAt = performance.now();
  const idleCheck = setInterval(() => {
    // Node counts a connection as idle until its first request is read, even if the request is on its way.
    if (connections.hasUnused() && performance.now() - stoppedAt < FIRST_BYTE_MS) return;
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
async function waitForEmptyQueue(connections: Connections): Promise<void> {
  const giveUpAt = performance.now() + QUIET_SEARCH_MS;
  // The rest of the current iteration of the event loop may not check for connections.
  await nextTurn();
  while (performance.now() < giveUpAt) {
    const turnStart = performance.now();
    const acceptedBefore = connections.accepted();
    await nextTurn();
    const isEmptyTurn = performance.now() - turnStart < EMPTY_TURN_MS;
    if (isEmptyTurn && connections.accepted() === acceptedBefore) return;
  }
}

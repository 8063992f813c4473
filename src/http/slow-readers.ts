/**
 * Limits per connection: requests that wait, and responses that the client does not read. See
 * docs/decisions/0021-slow-readers.md.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetwork } from '../domain/address.ts';
import { pendingResponse } from './client-errors.ts';
import type { ReportLimit } from './connection-limits.ts';
import { spreadOverTicks } from './ticks.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export type PipeliningOptions = {
  /** How many requests of one connection may be without a response. */
  maxRequests: number;
  /** How many pipelined requests of all connections may wait. */
  maxWaiting?: number;
  report: ReportLimit;
};

/** The requests of one connection that were read while an earlier one was being handled. */
type Queue = { readonly socket: Socket; waiting: [IncomingMessage, ServerResponse][] };

/** A request that waits takes about 6 kB. */
const MAX_WAITING = 2000;

/** Other connections must not wait for more pipelined requests than these. */
const STARTED_PER_TICK = 4;

/**
 * HTTP/1.1 lets a client send requests without waiting for the responses. Node handles all of them as they arrive, so
 * a client that never reads makes it produce and keep any number of responses. Here the requests of one connection
 * are handled one after the other, and only a limited number of them may wait.
 */
export function queuePipelinedRequests(server: Server, listener: Listener, options: PipeliningOptions): void {
  const { maxRequests, maxWaiting = MAX_WAITING, report } = options;
  const queues = new WeakMap<Socket, Queue>();
  const startSoon = spreadOverTicks(STARTED_PER_TICK);
  let totalWaiting = 0;
  // A client may end its side after the last request; Node would then drop those that wait.
  Reflect.set(server, 'httpAllowHalfOpen', true);

  const createQueue = (socket: Socket): Queue => {
    const queue: Queue = { socket, waiting: [] };
    queues.set(socket, queue);
    socket.once('close', () => {
      totalWaiting -= queue.waiting.length;
      queue.waiting = [];
    });
    return queue;
  };
  const startWhenSent = (queue: Queue): void => {
    pendingResponse(queue.socket)?.once('close', () => startSoon(() => startNext(queue)));
  };
  const startNext = (queue: Queue): void => {
    // After a response that closes the connection nothing more can be sent.
    if (queue.socket.destroyed || queue.socket.writableEnded) return;
    const next = queue.waiting.shift();
    if (!next) return;
    totalWaiting -= 1;
    listener(...next);
    if (queue.waiting.length > 0) startWhenSent(queue);
  };

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // Node gives a response its socket once those before it are sent.
    if (response.socket !== null) return listener(request, response);
    const { socket } = request;
    if (socket.destroyed) return;
    const queue = queues.get(socket) ?? createQueue(socket);
    const isOverLimit = queue.waiting.length + 1 >= maxRequests;
    if (isOverLimit || totalWaiting >= maxWaiting) {
      const network = socket.remoteAddress && callerNetwork(socket.remoteAddress);
      socket.destroy();
      return report(isOverLimit ? 'pipelined_requests' : 'pipelined_requests_total', network);
    }
    totalWaiting += 1;
    if (queue.waiting.push([request, response]) === 1) startWhenSent(queue);
  });
}

/** The event that a server emits for an HTTP connection: `secureConnection` once TLS is established. */
export type ConnectionEvent = 'connection' | 'secureConnection';

export type UnreadOutputOptions = {
  event: ConnectionEvent;
  /** How long a client may read nothing of its pending output. */
  limitMs: number;
  report: ReportLimit;
};

/** The amount of unsent output, and for how many consecutive checks it has not changed. */
type Backlog = { sent: number; queued: number; unchanged: number };

const CHECKS_PER_LIMIT = 6;

/**
 * Closes connections whose client has stopped reading. Only output that waits in the socket counts: a request that
 * is still being handled, and a connection that is idle between requests, have none and are left alone. Call it
 * before the server listens.
 */
export function closeUnreadOutput(server: Server, options: UnreadOutputOptions): void {
  const { event, limitMs, report } = options;
  const open = new Set<Socket>();
  const backlogs = new WeakMap<Socket, Backlog>();
  server.on(event, (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });

  const check = (): void => {
    for (const socket of open) {
      const before = backlogs.get(socket);
      if (socket.writableLength === 0) {
        if (before) backlogs.delete(socket);
        continue;
      }
      const { sent, queued } = measure(socket);
      if (before?.sent !== sent || before.queued !== queued) {
        backlogs.set(socket, { sent, queued, unchanged: 0 });
      } else if (++before.unchanged === CHECKS_PER_LIMIT) close(socket);
    }
  };
  const close = (socket: Socket): void => {
    report('unread_output', socket.remoteAddress && callerNetwork(socket.remoteAddress));
    socket.destroy();
  };
  server.once('listening', () => {
    const timer = setInterval(check, limitMs / CHECKS_PER_LIMIT).unref();
    server.once('close', () => clearInterval(timer));
  });
}

/** Node counts a long write as sent only when it is complete; the size of the handle's queue shows its progress. */
function measure(socket: Socket): { sent: number; queued: number } {
  const handle: unknown = Reflect.get(socket, '_handle');
  const queued = Object(handle).writeQueueSize ?? 0;
  return { sent: socket.bytesWritten - socket.writableLength, queued };
}

/** Limits the requests of a connection that wait. See docs/decisions/0021-slow-readers.md. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetwork } from '../domain/address.ts';
import { isRecord } from '../domain/record.ts';
import { pendingResponse } from './client-errors.ts';
import type { ReportLimit } from './connection-limits.ts';
import { spreadOverTicks } from './ticks.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export type PipeliningOptions = {
  /** How many requests of one connection may be without a response. */
  maxRequests: number;
  /** How many requests of all connections may wait, apart from the first of each. */
  maxWaiting?: number;
  report: ReportLimit;
};

/** The requests of one connection that were read while an earlier one was being handled. */
type Queue = { readonly socket: Socket; waiting: [IncomingMessage, ServerResponse][] };

/** A request that waits takes about 6 kB. */
const MAX_WAITING = 2000;

/** Other connections must not wait for more pipelined requests than these. */
const STARTED_PER_TICK = 4;

/** Disconnects a client with more requests than may be without a response. */
export function refusePipelined(
  report: ReportLimit,
  limit: 'pipelined_requests' | 'pipelined_requests_total' = 'pipelined_requests',
): (request: IncomingMessage) => void {
  return ({ socket }) => {
    const network = socket.remoteAddress && callerNetwork(socket.remoteAddress);
    socket.destroy();
    ignoreRequests(socket);
    report(limit, network);
  };
}

/**
 * Node parses all that it has read, up to 64 kB, and creates a request and a response for each of a thousand requests. With
 * this property replaced, which is not documented, it creates no responses and keeps no requests. A test counts them.
 */
function ignoreRequests(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (isRecord(parser)) Reflect.set(parser, 'onIncoming', () => 0);
}

/**
 * HTTP/1.1 lets a client send requests without waiting for the responses. Node handles all of them as they arrive, so
 * a client that never reads makes it produce and keep any number of responses. The listener that this returns handles
 * the requests of one connection one after the other, and only a limited number of them may wait.
 *
 * Call it at the end of a tick (`batchRequests`): over TLS, Node reports that a response was sent after it has read the
 * next request, so a client that did wait looks like one that did not.
 */
export function queuePipelinedRequests(
  server: Server,
  listener: Listener,
  options: PipeliningOptions,
): Listener {
  const { maxRequests, maxWaiting = MAX_WAITING, report } = options;
  const refuse = refusePipelined(report);
  const refuseTotal = refusePipelined(report, 'pipelined_requests_total');
  const queues = new WeakMap<Socket, Queue>();
  const startSoon = spreadOverTicks(STARTED_PER_TICK);
  // The first request that waits on a connection does not count: its client may not pipeline at all.
  let totalWaiting = 0;
  // A client may end its side after the last request; Node would then drop those that wait.
  Reflect.set(server, 'httpAllowHalfOpen', true);

  const createQueue = (socket: Socket): Queue => {
    const queue: Queue = { socket, waiting: [] };
    queues.set(socket, queue);
    socket.once('close', () => {
      totalWaiting -= Math.max(0, queue.waiting.length - 1);
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
    if (queue.waiting.length > 0) totalWaiting -= 1;
    listener(...next);
    if (queue.waiting.length > 0) startWhenSent(queue);
  };

  return (request, response) => {
    // Node gives a response its socket once those before it are sent.
    if (response.socket !== null) return listener(request, response);
    const { socket } = request;
    if (socket.destroyed) return;
    const queue = queues.get(socket) ?? createQueue(socket);
    const isFirst = queue.waiting.length === 0;
    const isOverLimit = queue.waiting.length + 1 >= maxRequests;
    if (isOverLimit) return refuse(request);
    if (!isFirst && totalWaiting >= maxWaiting) return refuseTotal(request);
    queue.waiting.push([request, response]);
    if (isFirst) startWhenSent(queue);
    else totalWaiting += 1;
  };
}

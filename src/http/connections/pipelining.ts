/**
 * HTTP/1.1 lets a client send requests without waiting for the responses. Node parses and handles all of them as
 * they arrive, so that a client which never reads makes it produce and keep any number of responses. Here the requests
 * of one connection are handled one after the other, and those that wait stay as the bytes they came in: see
 * docs/decisions/0021-slow-readers.md.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetwork } from '../../domain/address.ts';
import { pendingResponse } from '../client-errors.ts';
import { createInputQueue, type InputQueue } from './input-queue.ts';
import type { ReportLimit } from './limits.ts';
import type { ConnectionEvent } from './unread-output.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export type PipeliningOptions = {
  event: ConnectionEvent;
  /** How many requests of one connection may be without a response. Beyond that its socket is not read. */
  maxRequests: number;
  /** How much input of all connections may wait. Beyond that, those that are over `maxRequests` are closed. */
  maxWaitingBytes?: number;
  report: ReportLimit;
};

type Pipeline = {
  readonly socket: Socket;
  readonly input: InputQueue;
  /** Parsed together with the request that is being handled: the few that fit into one piece of input. */
  readonly parsed: [IncomingMessage, ServerResponse][];
  isAwaitingClose: boolean;
};

const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** So many pipelined requests are started in one turn of the event loop: other connections must not wait for them. */
const STARTED_PER_TURN = 4;

export function queuePipelinedRequests(server: Server, listener: Listener, options: PipeliningOptions): void {
  const { event, maxRequests, maxWaitingBytes = MAX_WAITING_BYTES, report } = options;
  const pipelines = new WeakMap<Socket, Pipeline>();
  const startInTurns = createTurns();
  const budget = { waitingBytes: 0, maxBytes: maxWaitingBytes };

  /** Goes on when the client has been sent the whole response to the request that is being handled. */
  const awaitClose = (pipeline: Pipeline): void => {
    if (pipeline.isAwaitingClose) return;
    pipeline.isAwaitingClose = true;
    pendingResponse(pipeline.socket)?.once('close', () => startInTurns(() => goOn(pipeline)));
  };
  const goOn = (pipeline: Pipeline): void => {
    pipeline.isAwaitingClose = false;
    // After a response that closes the connection nothing more can be sent.
    if (pipeline.socket.destroyed || pipeline.socket.writableEnded) return;
    const next = pipeline.parsed.shift();
    if (next) listener(...next);
    if (pipeline.parsed.length > 0) awaitClose(pipeline);
    pipeline.input.release();
  };

  server.on(event, (socket: Socket) => {
    const pipeline: Pipeline = {
      socket,
      input: createInputQueue(socket, {
        maxWaiting: maxRequests - 1,
        budget,
        state: () => stateOf(pipeline),
        onHold: () => awaitClose(pipeline),
        onFull: () => report('pipelined_requests'),
        onOverBudget: () => {
          report('pipelined_bytes', socket.remoteAddress && callerNetwork(socket.remoteAddress));
          socket.destroy();
        },
      }),
      parsed: [],
      isAwaitingClose: false,
    };
    pipelines.set(socket, pipeline);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pipeline = pipelines.get(request.socket);
    // Node gives a response its socket when those before it are sent.
    if (!pipeline || (response.socket !== null && pipeline.parsed.length === 0)) {
      return listener(request, response);
    }
    pipeline.parsed.push([request, response]);
    awaitClose(pipeline);
  });
}

function stateOf({ socket, parsed }: Pipeline): 'head' | 'body' | 'held' {
  if (parsed.length > 0) return 'held';
  const pending = pendingResponse(socket);
  if (!pending) return 'head';
  return pending.req.complete ? 'held' : 'body';
}

function createTurns(): (start: () => void) => void {
  let ready: (() => void)[] = [];
  const runTurn = (): void => {
    const turn = ready.slice(0, STARTED_PER_TURN);
    ready = ready.slice(STARTED_PER_TURN);
    if (ready.length > 0) setImmediate(runTurn);
    for (const start of turn) start();
  };
  return (start) => {
    if (ready.push(start) === 1) setImmediate(runTurn);
  };
}

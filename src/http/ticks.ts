import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener<Response> = (request: IncomingMessage, response: Response) => void;

const ARRIVED_AT = Symbol('arrivedAt');

declare module 'node:http' {
  interface IncomingMessage {
    /** When the request was read, by `performance.now()`. */
    [ARRIVED_AT]?: number;
  }
}

/**
 * Collects what is passed in during one tick of the event loop and handles it in a row at the end. Code that runs
 * many times in a row stays in the CPU caches: see docs/decisions/0019-batch-by-tick.md.
 */
export function batchByTick<T>(handle: (items: readonly T[]) => void): (item: T) => void {
  let batch: T[] = [];
  const handleBatch = (): void => {
    const items = batch;
    batch = [];
    handle(items);
  };
  return (item) => {
    if (batch.push(item) === 1) setImmediate(handleBatch);
  };
}

/**
 * Calls `read` once for everything that runs before the next microtask, and returns the result to all of it: for requests
 * that are handled in a row, and then for what follows their promises.
 */
export function readTogether<T>(read: () => T): () => T {
  let current: { value: T } | undefined;
  const forget = (): void => {
    current = undefined;
  };
  return () => {
    if (current === undefined) {
      current = { value: read() };
      queueMicrotask(forget);
    }
    return current.value;
  };
}

/** Runs at most `perTick` functions per tick, so that requests of other connections are handled in between. */
export function spreadOverTicks(perTick: number): (run: () => void) => void {
  let waiting: (() => void)[] = [];
  const runSome = (): void => {
    const now = waiting.slice(0, perTick);
    waiting = waiting.slice(perTick);
    if (waiting.length > 0) setImmediate(runSome);
    for (const run of now) run();
  };
  return (run) => {
    if (waiting.push(run) === 1) setImmediate(runSome);
  };
}

/** `refuse` is called with the first request over the limit, which is not handled, and neither are those after it. */
type ConnectionLimit = { requests: number; refuse: (request: IncomingMessage) => void };

const NO_LIMIT: ConnectionLimit = { requests: Number.POSITIVE_INFINITY, refuse: () => {} };

/**
 * Reads all requests that arrived in one tick before it handles the first of them. `limit`: how many of one connection,
 * which would otherwise all be kept until then.
 */
export function batchRequests<Response extends ServerResponse>(
  listener: Listener<Response>,
  limit = NO_LIMIT,
): Listener<Response> {
  let last: Socket | undefined;
  let inARow = 0;
  const answer = batchByTick<[IncomingMessage, Response]>((arrived) => {
    last = undefined;
    for (const [request, response] of arrived) listener(request, response);
  });
  return (request, response) => {
    const { socket } = request;
    inARow = socket === last ? inARow + 1 : 1;
    last = socket;
    if (inARow > limit.requests) {
      if (inARow === limit.requests + 1) limit.refuse(request);
      return;
    }
    request[ARRIVED_AT] = performance.now();
    answer([request, response]);
  };
}

/**
 * Milliseconds since the request was read, including the wait for the rest of its batch. `undefined` for a request that
 * was injected by a test.
 */
export function msSinceArrival(request: IncomingMessage): number | undefined {
  const arrivedAt = request[ARRIVED_AT];
  return arrivedAt === undefined ? undefined : performance.now() - arrivedAt;
}

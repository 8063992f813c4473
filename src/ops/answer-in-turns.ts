import type { IncomingMessage, ServerResponse } from 'node:http';

type Listener<Response> = (request: IncomingMessage, response: Response) => void;

/** When the turn began in which a request was read, by `performance.now()`. */
const arrivals = new WeakMap<IncomingMessage, number>();

/**
 * Lets a turn of the event loop read all requests that have arrived before the first of them is answered. A busy
 * server then runs the code that reads many times in a row, and then the code that answers, instead of fetching
 * both into the processor's caches for each request: see docs/decisions/0019-answers-in-turns.md.
 */
export function answerInTurns<Response extends ServerResponse>(
  listener: Listener<Response>,
): Listener<Response> {
  let arrived: [IncomingMessage, Response][] = [];
  let turnBegan = 0;
  const answerAll = (): void => {
    const requests = arrived;
    arrived = [];
    for (const [request, response] of requests) listener(request, response);
  };
  return (request, response) => {
    if (arrived.push([request, response]) === 1) {
      turnBegan = performance.now();
      setImmediate(answerAll);
    }
    arrivals.set(request, turnBegan);
  };
}

/** Milliseconds since the request was read, its wait for the others of its turn included; `undefined` when it did not come this way. */
export function timeSinceArrival(request: IncomingMessage): number | undefined {
  const arrival = arrivals.get(request);
  return arrival === undefined ? undefined : performance.now() - arrival;
}

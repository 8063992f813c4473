import type { IncomingMessage, ServerResponse } from 'node:http';

type Listener<Response> = (request: IncomingMessage, response: Response) => void;

/** When the turn began whose requests are being answered; `undefined` in between. */
let turnBegan: number | undefined;

/**
 * Lets a turn of the event loop read all requests that have arrived before the first of them is answered. A busy
 * server then runs the code that reads many times in a row, and then the code that answers, instead of fetching
 * both into the processor's caches for each request: see docs/decisions/0019-answers-in-turns.md.
 */
export function answerInTurns<Response extends ServerResponse>(
  listener: Listener<Response>,
): Listener<Response> {
  let arrived: [IncomingMessage, Response][] = [];
  let began = 0;
  const answerAll = (): void => {
    const requests = arrived;
    arrived = [];
    turnBegan = began;
    for (const [request, response] of requests) listener(request, response);
    turnBegan = undefined;
  };
  return (request, response) => {
    if (arrived.push([request, response]) > 1) return;
    began = performance.now();
    setImmediate(answerAll);
  };
}

/** For a listener that has just been called: when its request was read, by `performance.now()`. */
export function arrivalTime(): number {
  return turnBegan ?? performance.now();
}

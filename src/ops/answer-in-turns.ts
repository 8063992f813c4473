import type { IncomingMessage, ServerResponse } from 'node:http';

type Listener<Response> = (request: IncomingMessage, response: Response) => void;

/**
 * Lets a turn of the event loop read all requests that have arrived before the first of them is answered. A busy
 * server then runs the code that reads many times in a row, and then the code that answers, instead of fetching
 * both into the processor's caches for each request: see docs/decisions/0019-answers-in-turns.md.
 */
export function answerInTurns<Response extends ServerResponse>(
  listener: Listener<Response>,
): Listener<Response> {
  let arrived: [IncomingMessage, Response][] = [];
  const answerAll = (): void => {
    const requests = arrived;
    arrived = [];
    for (const [request, response] of requests) listener(request, response);
  };
  return (request, response) => {
    if (arrived.push([request, response]) === 1) setImmediate(answerAll);
  };
}

import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { arrivalTime } from './answer-in-turns.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request was read, by `performance.now()`. */
    arrivedAt: number;
  }
}

/** Notes when each request arrived, for log and metrics. Registered before them. */
export const arrival = fastifyPlugin((app, _options, done) => {
  app.decorateRequest('arrivedAt', 0);
  app.addHook('onRequest', (request, _reply, next) => {
    request.arrivedAt = arrivalTime();
    next();
  });
  done();
});

/** Milliseconds since the request was read. What it waited for the others of its turn is part of it. */
export function msSinceArrival(request: FastifyRequest): number {
  return performance.now() - request.arrivedAt;
}

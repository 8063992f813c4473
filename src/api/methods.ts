/** Methods that a path does not support. */
import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from './errors/api-error.ts';

/** CONNECT never reaches a route: http/client-errors.ts handles it. */
const ROUTABLE = METHODS.filter((method) => method !== 'CONNECT');

/** Must run once, before any route: Fastify knows only the common methods by default. */
export function supportAllMethods(app: FastifyInstance): void {
  for (const method of ROUTABLE) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
}

/** Responds to any other method on a known path with 405, before the body is read. */
export function refuseOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  app.route({
    method: ROUTABLE.filter((method) => !allowed.includes(method)),
    url: path,
    schema: { hide: true },
    onRequest: async (_request, reply) => {
      reply.header('allow', allowed.join(', '));
      throw new ApiError('METHOD_NOT_ALLOWED');
    },
    handler: () => undefined,
  });
}

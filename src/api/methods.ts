/** Methods that a path does not support. */
import type { FastifyInstance } from 'fastify';
import { OTHER_METHOD, ROUTED_METHODS } from '../http/methods.ts';
import { ApiError } from './errors/api-error.ts';

/** Must run once, before any route: Fastify knows only the common methods by default. */
export function supportAllMethods(app: FastifyInstance): void {
  app.addHttpMethod(OTHER_METHOD, { hasBody: true });
}

/** Responds to any other method on a known path with 405, before the body is read. */
export function refuseOtherMethods(app: FastifyInstance, path: string, allowed: readonly string[]): void {
  app.route({
    method: ROUTED_METHODS.filter((method) => !allowed.includes(method)),
    url: path,
    schema: { hide: true },
    onRequest: async (_request, reply) => {
      reply.header('allow', allowed.join(', '));
      throw new ApiError('METHOD_NOT_ALLOWED');
    },
    handler: () => undefined,
  });
}

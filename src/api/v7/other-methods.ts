import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../domain/errors.ts';

const ALLOWED = ['GET', 'HEAD'];
/** CONNECT never reaches a route: Node closes such a connection itself. */
const REFUSED = METHODS.filter((method) => !ALLOWED.includes(method) && method !== 'CONNECT');

/** Must run once, before any route: Fastify knows only the common methods by itself. */
export function knowAllMethods(app: FastifyInstance): void {
  for (const method of REFUSED) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
}

/** Any other method on a known address is refused in words, before its body is read. */
export function refuseOtherMethods(app: FastifyInstance, path: string): void {
  app.route({
    method: REFUSED,
    url: path,
    schema: { hide: true },
    onRequest: async (_request, reply) => {
      reply.header('allow', ALLOWED.join(', '));
      throw new ApiError('METHOD_NOT_ALLOWED');
    },
    handler: () => undefined,
  });
}

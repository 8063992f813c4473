/**
 * `GET /v7/openapi.json`: the contract for programs, made from the schemas that check parameters and write answers.
 *
 *   await collectRoutes(app, { publicUrl: null });   // before the routes it shall describe
 *   openApiRoute(app);
 */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { completeDocument } from './document.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import type { OperationId } from './operations.ts';

export const OPENAPI_PATH = '/openapi.json';

/** The version of the contract: v7, and how often something optional was added to it. */
const CONTRACT_VERSION = '7.0.0';

export type OpenApiOptions = {
  /** Where the service is reached; when it is not known, wherever the document was got from. */
  publicUrl?: string | null;
};

/** Notes every route that is added from now on. */
export async function collectRoutes(app: FastifyInstance, { publicUrl }: OpenApiOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Votary: vote verification',
        version: CONTRACT_VERSION,
        description: INTRODUCTION,
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl ?? '/', description: 'This service' }],
      tags: TAGS,
    },
    // The address of a service can have a path of its own; routes keep theirs all the same.
    stripBasePath: false,
    convertConstToEnum: false,
  });
}

/** Needs no key, and is counted like any other request. */
export function openApiRoute(app: FastifyInstance): void {
  const operationId: OperationId = 'getOpenApi';
  let text: string | undefined;
  app.get(OPENAPI_PATH, { schema: { operationId } }, async (_request, reply) => {
    text ??= JSON.stringify(completeDocument(app.swagger()));
    return reply.type('application/json; charset=utf-8').send(text);
  });
}

/**
 * `GET /v7/openapi.json`: generated from the schemas that validate parameters and serialize responses.
 *
 *   await collectRoutes(app, { publicUrl: null });   // before the routes it describes
 *   openApiRoute(app);
 */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { completeDocument } from './document.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import type { OperationId } from './operations.ts';

export const OPENAPI_PATH = '/openapi.json';

/** The version of the contract: v7, and the number of optional additions. */
const CONTRACT_VERSION = '7.0.0';

export type OpenApiOptions = {
  /** The public URL; if unknown, the URL the document was loaded from. */
  publicUrl?: string | null;
  /** Default: the name of the product. */
  siteName?: string;
};

/** Collects every route that is added from now on. */
export async function collectRoutes(
  app: FastifyInstance,
  { publicUrl, siteName = 'Votary' }: OpenApiOptions,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: `${siteName}: vote verification`,
        version: CONTRACT_VERSION,
        description: INTRODUCTION,
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: publicUrl ?? '/', description: 'This service' }],
      tags: TAGS,
    },
    // The URL of a service can have a path; routes keep their own paths.
    stripBasePath: false,
    convertConstToEnum: false,
  });
}

/** Needs no key, and counts like any other request. */
export function openApiRoute(app: FastifyInstance): void {
  const operationId: OperationId = 'getOpenApi';
  let text: string | undefined;
  app.get(OPENAPI_PATH, { schema: { operationId } }, async (_request, reply) => {
    text ??= JSON.stringify(completeDocument(app.swagger()));
    return reply.type('application/json; charset=utf-8').send(text);
  });
}

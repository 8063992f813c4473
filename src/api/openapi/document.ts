import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { ERROR_SCHEMAS, errorResponses } from './errors.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import { findOperation, type OperationId } from './operations.ts';
import {
  ANY_KEY,
  headersFor,
  IDEMPOTENCY_PARAMETER,
  LANGUAGE_PARAMETERS,
  REPLAY_HEADER,
  SECURITY_SCHEMES,
} from './parameters.ts';
import type { Document, Media, Operation, Parameter, Path, Response, Schema } from './types.ts';
import { EVENT_SCHEMAS, WEBHOOKS } from './webhooks.ts';

/**
 * Adds what schemas cannot express to the document generated from the routes: errors, headers, keys, events. A route
 * without an entry in operations.ts cannot get into the document by accident.
 */
export function completeDocument(generated: { paths?: object }): Document {
  const { paths, schemas } = nameSchemas(generated.paths ?? {});
  return {
    ...generated,
    security: ANY_KEY,
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, completePath(path, item)])),
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { ...schemas, ...ERROR_SCHEMAS, ...EVENT_SCHEMAS },
    },
  };
}

function completePath(path: string, item: Path): Path {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      completeOperation(`${method} ${path}`, operation),
    ]),
  );
}

function completeOperation(name: string, operation: Operation): Operation {
  const described = findOperation(operation.operationId);
  if (!described) throw new Error(`${name} has no entry in openapi/operations.ts`);
  const { tag, summary, description, needsKey, success, examples } = described;
  const media = { ...successMedia(operation), ...(examples ? { examples } : {}) };
  const response: Response = {
    description: success,
    headers: { ...headersFor([]), ...(described.isIdempotent ? REPLAY_HEADER : {}) },
    content: { 'application/json': media },
  };
  return {
    ...operation,
    tags: [tag],
    summary,
    description,
    ...(needsKey ? {} : { security: [] }),
    parameters: [
      ...(operation.parameters ?? []).map(toParameter),
      ...(described.isIdempotent ? [IDEMPOTENCY_PARAMETER] : []),
      ...LANGUAGE_PARAMETERS,
    ],
    responses: { 200: response, ...errorResponses(described) },
  };
}

/** The document itself is the only response without a schema. */
const OpenApiDocument = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
  additionalProperties: true,
};

function successMedia({ responses }: Operation): Media {
  return responses['200']?.content?.['application/json'] ?? { schema: OpenApiDocument };
}

/** Moves `deprecated` from the schema to the parameter; a parameter with a default is optional. */
function toParameter(parameter: Parameter): Parameter {
  const { deprecated, ...schema } = parameter.schema;
  return {
    ...parameter,
    required: parameter.in === 'path',
    schema,
    ...(deprecated === true ? { deprecated } : {}),
  };
}

type Named = { paths: Record<string, Path>; schemas: Record<string, Schema> };

/**
 * Moves each schema with a title to the components and references it, so shared schemas are described once and
 * generated clients get named types.
 */
export function nameSchemas(paths: object): Named {
  const schemas: Named['schemas'] = {};
  // Inner values are revived first, so a named schema already references those inside it.
  const revive = (_key: string, value: unknown): unknown => {
    if (!isTitled(value)) return value;
    const { title, ...schema } = value;
    schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  };
  return { paths: JSON.parse(JSON.stringify(paths), revive), schemas };
}

function isTitled(value: unknown): value is Schema & { title: string } {
  return typeof value === 'object' && value !== null && 'title' in value && typeof value.title === 'string';
}

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
        // Examples that can be copied as they are.
        description: publicUrl ? INTRODUCTION.replaceAll('$URL', publicUrl) : INTRODUCTION,
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

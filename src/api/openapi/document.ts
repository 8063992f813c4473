import type { FastifyInstance, RouteOptions } from 'fastify';
import { isRecord } from '../../domain/record.ts';
import { streamContent } from '../../http/slices.ts';
import type { Document, Operation, Parameter, Path, Response, Schema } from './components.ts';
import {
  ANY_KEY,
  headersFor,
  IDEMPOTENCY_PARAMETER,
  LANGUAGE_PARAMETERS,
  REPLAY_HEADER,
  SECURITY_SCHEMES,
} from './components.ts';
import { ERROR_SCHEMAS, errorResponses } from './errors.ts';
import { INTRODUCTION, TAGS } from './introduction.ts';
import { ANYWHERE, type Operation as OperationDescription } from './operation.ts';
import { EVENT_SCHEMAS, WEBHOOKS } from './webhooks.ts';

/**
 * The schemas of the route, and what schemas cannot express: errors, headers, keys. A route without an operation cannot
 * get into the document by accident.
 */
function toOperation({ method, url, schema = {} }: RouteOptions): Operation {
  const { operation: described, querystring, params, response: responses } = schema;
  if (!described) throw new Error(`the schema of ${method} ${url} has no operation`);
  const { operationId, tag, summary, description, needsKey, success, examples } = described;
  const media = { schema: successSchema(responses), ...(examples ? { examples } : {}) };
  const response: Response = {
    description: success,
    headers: { ...headersFor([]), ...(described.isIdempotent ? REPLAY_HEADER : {}) },
    content: { 'application/json': media },
  };
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(needsKey ? {} : { security: [] }),
    parameters: [
      ...toParameters('path', params),
      ...toParameters('query', querystring),
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

function successSchema(responses: unknown): Schema {
  const schema = isRecord(responses) ? responses['200'] : undefined;
  return isRecord(schema) ? schema : OpenApiDocument;
}

function toParameters(where: 'path' | 'query', schema: unknown): Parameter[] {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  return Object.entries(properties)
    .filter((property): property is [string, Schema] => isRecord(property[1]))
    .map(([name, property]) => toParameter(name, where, property));
}

/** Moves what describes the parameter out of its schema. A parameter with a default is optional. */
function toParameter(name: string, where: 'path' | 'query', property: Schema): Parameter {
  const { deprecated, description, examples, ...schema } = property;
  return {
    name,
    in: where,
    required: where === 'path',
    ...(deprecated === true ? { deprecated } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    schema,
    ...(Array.isArray(examples) ? { example: String(examples[0]) } : {}),
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

/** The major version is that of the contract, which is also part of every path. */
const CONTRACT_VERSION = '7.0.0';

export type OpenApiOptions = {
  /** The public URL; if unknown, the URL the document was loaded from. */
  publicUrl?: string | null;
  /** Default: the name of the product. */
  siteName?: string;
};

/** Collects every route that is added from now on. */
export function collectRoutes(app: FastifyInstance): RouteOptions[] {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD' && !route.schema?.hide) routes.push(route);
  });
  return routes;
}

function createDocument(
  routes: RouteOptions[],
  { publicUrl, siteName = 'Votary' }: OpenApiOptions,
): Document {
  const { paths, schemas } = nameSchemas(toPaths(routes));
  return {
    openapi: '3.1.1',
    info: {
      title: `${siteName}: vote verification`,
      version: CONTRACT_VERSION,
      // With the public URL, the examples can be copied as they are.
      description: publicUrl ? INTRODUCTION.replaceAll('$URL', () => publicUrl) : INTRODUCTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl ?? '/', description: 'This service' }],
    tags: TAGS,
    security: ANY_KEY,
    paths,
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { ...schemas, ...ERROR_SCHEMAS, ...EVENT_SCHEMAS },
    },
  };
}

function toPaths(routes: RouteOptions[]): Record<string, Path> {
  const paths: Record<string, Path> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [String(route.method).toLowerCase()]: toOperation(route) };
  }
  return paths;
}

const operation: OperationDescription = {
  operationId: 'getOpenApi',
  tag: 'Description',
  needsKey: false,
  summary: 'OpenAPI document',
  description:
    'This API as an OpenAPI 3.1 document. No key is needed, but the request counts towards the rate limit.',
  success: 'An OpenAPI 3.1 document.',
  codes: ANYWHERE,
};

/** Needs no key, but is counted like any other request. */
export function openApiRoute(app: FastifyInstance, routes: RouteOptions[], options: OpenApiOptions): void {
  let content: Buffer | undefined;
  app.get(OPENAPI_PATH, { schema: { operation } }, async (_request, reply) => {
    content ??= Buffer.from(JSON.stringify(createDocument(routes, options)));
    reply.type('application/json; charset=utf-8').header('content-length', content.length);
    return reply.send(streamContent(content));
  });
}

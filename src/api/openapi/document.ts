import type { FastifyInstance, RouteOptions } from 'fastify';
import { isRecord } from '../../domain/record.ts';
import { streamContent } from '../../http/slices.ts';
import type { ErrorCode } from '../errors/api-error.ts';
import type { Document, Operation, Parameter, Path, Response, Schema } from './components.ts';
import { headersFor, IDEMPOTENCY_PARAMETER, LANGUAGE_PARAMETERS, REPLAY_HEADER } from './components.ts';
import { type ErrorStyle, errorResponses, errorSchemas } from './errors.ts';
import { ANYWHERE, type Operation as OperationDescription } from './operation.ts';

/** What a document says in addition to its routes. */
export type DocumentedApi = ErrorStyle &
  Pick<Document, 'tags' | 'security' | 'webhooks'> & {
    /** Follows the name of the site. */
    title: string;
    version: string;
    /** `$URL` is replaced by the public URL. */
    introduction: string;
    securitySchemes: Document['components']['securitySchemes'];
    /** Schemas of webhooks. */
    schemas: Record<string, Schema>;
    codes: readonly ErrorCode[];
    /** Whether requests have JSON bodies. */
    hasBodies: boolean;
  };

/**
 * The schemas of the route, and what schemas cannot express: errors, headers, keys. A route without an operation cannot
 * get into the document by accident.
 */
function toOperation({ method, url, schema = {} }: RouteOptions, api: DocumentedApi): Operation {
  const { operation: described, querystring, params, body, response: responses } = schema;
  if (!described) throw new Error(`the schema of ${method} ${url} has no operation`);
  const { operationId, tag, summary, description, needsKey, success, examples } = described;
  const toResponse = ([status, successful]: [string, Schema]): [string, Response] => {
    const media = { schema: successful, ...(examples ? { examples } : {}) };
    const headers = { ...headersFor([], api), ...(described.isIdempotent ? REPLAY_HEADER : {}) };
    return [status, { description: success, headers, content: { 'application/json': media } }];
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
    ...(isRecord(body) ? { requestBody: toRequestBody(body) } : {}),
    responses: {
      ...Object.fromEntries(successSchemas(responses).map(toResponse)),
      ...errorResponses(described, api),
    },
  };
}

/** The document itself is the only response without a schema. */
const OpenApiDocument = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
  additionalProperties: true,
};

function successSchemas(responses: unknown): [string, Schema][] {
  const found = Object.entries(isRecord(responses) ? responses : {}).filter(
    (entry): entry is [string, Schema] => isRecord(entry[1]),
  );
  return found.length > 0 ? found : [['200', OpenApiDocument]];
}

function toRequestBody(schema: Schema): NonNullable<Operation['requestBody']> {
  const isRequired = Array.isArray(schema.required) && schema.required.length > 0;
  return { required: isRequired, content: { 'application/json': { schema } } };
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
    if (!route.schema?.hide) routes.push(route);
  });
  return routes;
}

function createDocument(
  routes: RouteOptions[],
  api: DocumentedApi,
  { publicUrl, siteName = 'Votary' }: OpenApiOptions,
): Document {
  const { introduction, security, securitySchemes, tags, webhooks } = api;
  const { paths, schemas } = nameSchemas(toPaths(routes, api));
  return {
    openapi: '3.1.1',
    info: {
      title: `${siteName}: ${api.title}`,
      version: api.version,
      // With the public URL, the examples can be copied as they are.
      description: publicUrl ? introduction.replaceAll('$URL', () => publicUrl) : introduction,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl ?? '/', description: 'This service' }],
    tags,
    security,
    paths,
    ...(webhooks ? { webhooks } : {}),
    components: {
      securitySchemes,
      schemas: { ...schemas, ...errorSchemas(api), ...api.schemas },
    },
  };
}

function toPaths(routes: RouteOptions[], api: DocumentedApi): Record<string, Path> {
  const paths: Record<string, Path> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    // HEAD is not described: it is GET without the body.
    const [method = ''] = [route.method].flat();
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(route, api) };
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

declare module 'fastify' {
  interface FastifyInstance {
    /** The documents of the APIs by their path, such as `/v7`. */
    apiDocuments: Map<string, () => Document>;
  }
}

/** Needs no key, but is counted like any other request. */
export function openApiRoute(
  app: FastifyInstance,
  routes: RouteOptions[],
  api: DocumentedApi,
  options: OpenApiOptions,
): void {
  let content: Buffer | undefined;
  let document: Document | undefined;
  const read = () => {
    document ??= createDocument(routes, api, options);
    return document;
  };
  app.apiDocuments.set(app.prefix, read);
  app.get(OPENAPI_PATH, { schema: { operation } }, async (_request, reply) => {
    content ??= Buffer.from(JSON.stringify(read()));
    reply.type('application/json; charset=utf-8').header('content-length', content.length);
    return reply.send(streamContent(content));
  });
}

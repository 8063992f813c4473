import { LOCALES } from '../../domain/locale.ts';
import type { ErrorCode } from '../errors/api-error.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_MAX_LENGTH, IDEMPOTENCY_KEY_PATTERN } from '../idempotency-key.ts';

/** The parts of OpenAPI 3.1 that our document uses. */

/** A JSON Schema, or a reference to one. */
export type Schema = { readonly [keyword: string]: unknown };

export type Example = { summary: string; value: object };

export type Header = {
  description: string;
  required?: boolean;
  schema: Schema;
  example: string | number;
};

export type Parameter = {
  name: string;
  in: 'query' | 'header' | 'path';
  required: boolean;
  deprecated?: boolean;
  description?: string;
  schema: Schema;
  example?: string;
};

export type Media = { schema: Schema; example?: object; examples?: Record<string, Example> };

export type Response = {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
};

export type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
};

/** The operations of a path by method; events are sent with POST. */
export type Path = Record<string, Operation>;
export type Webhook = { post: Operation };

export type Document = {
  openapi: string;
  info: object;
  servers: object[];
  tags: object[];
  paths: Record<string, Path>;
  webhooks?: Record<string, Webhook>;
  security: Record<string, string[]>[];
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
};

/**
 * The ways to send the key that generated clients should offer. The query parameter `api_token` is a deprecated
 * parameter of each operation: as a security scheme it would be an equal choice, and generators would pick it.
 */
export const SECURITY_SCHEMES: Record<string, object> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Recommended: `Authorization: Bearer <API_KEY>`. The key is in the dashboard, under Developer & API.',
  },
  apiTokenHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Token',
    description: 'The same key, for programs that cannot set `Authorization`.',
  },
};

/** Any one of them is enough. */
export const ANY_KEY: Record<string, string[]>[] = Object.keys(SECURITY_SCHEMES).map((name) => ({
  [name]: [],
}));

/** Read from every request and never rejected, so no route schema contains them. */
export const LANGUAGE_PARAMETERS: Parameter[] = [
  {
    name: 'X-Locale',
    in: 'header',
    required: false,
    description:
      'Language of messages if there is no `locale` parameter: `en` or `fr`; any other value means English.',
    schema: { type: 'string' },
  },
  {
    name: 'Accept-Language',
    in: 'header',
    required: false,
    description:
      'Language of messages if neither `locale` nor `X-Locale` is sent. Quality values are supported, as in `fr-CA,fr;q=0.9,en;q=0.5`.',
    schema: { type: 'string' },
  },
];

export const IDEMPOTENCY_PARAMETER: Parameter = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'A text that identifies this request, for example a UUID: 1 to 255 visible ASCII characters. For 24 hours, the same key with the same parameters returns the identical body; with different parameters, it returns `IDEMPOTENCY_MISMATCH`.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: IDEMPOTENCY_KEY_MAX_LENGTH,
    pattern: IDEMPOTENCY_KEY_PATTERN,
  },
};

/** Response headers, by their name in the document. */
export const HEADERS = {
  'RateLimit-Policy': {
    description: 'The rate limit: `q` requests in `w` seconds, shared by all endpoints.',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$' },
    example: '"default";q=30;w=60',
  },
  RateLimit: {
    description: 'The rest of the limit: `r` requests are left, and the window resets in `t` seconds.',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=29;t=60',
  },
  'Content-Language': {
    description: 'The language of the messages in this response.',
    schema: { type: 'string', enum: [...LOCALES] },
    example: 'en',
  },
  'Cache-Control': {
    description: 'Responses must not be cached.',
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  'X-Request-Id': {
    description: 'Identifies this request in the log of the service. Include it when you report a problem.',
    schema: { type: 'string', format: 'uuid' },
    example: '7b1f1d8e-7f9f-4a55-9f0e-3e1f6d0c2a4b',
  },
  'WWW-Authenticate': {
    description:
      'How to send the key (RFC 6750). `error="invalid_token"` is present if the request had a key that was not accepted.',
    schema: { type: 'string', enum: ['Bearer realm="api"', 'Bearer realm="api", error="invalid_token"'] },
    example: 'Bearer realm="api"',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request; the same value as `retry_after`.',
    schema: { type: 'integer', minimum: 1 },
    example: 41,
  },
  Allow: {
    description: 'The methods that this URL supports.',
    schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
    example: 'GET, HEAD',
  },
  'Idempotent-Replayed': {
    description: 'Only when the response is a stored one, returned for a repeated `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Deprecation: {
    description: 'Only if the key was sent as `api_token`: when that parameter was deprecated (RFC 9745).',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1767225600',
  },
  Link: {
    description: 'Only if the key was sent as `api_token`: a link to the alternatives in the documentation.',
    schema: { type: 'string' },
    example: '</docs#authentication>; rel="deprecation"; type="text/html"',
  },
} as const satisfies Record<string, Header>;

const TOKEN_CHALLENGE: Header = {
  description:
    'RFC 6750. `error="invalid_token"` is present if the request had a token that was not accepted.',
  required: true,
  schema: { type: 'string', pattern: '^Bearer realm="manage"(, error="invalid_token")?$' },
  example: 'Bearer realm="manage"',
};

const SCOPE_CHALLENGE: Header = {
  description: 'Present if the token lacks a scope (RFC 6750).',
  schema: { type: 'string' },
  example: 'Bearer realm="manage", error="insufficient_scope", scope="guilds:write"',
};

type HeaderName = keyof typeof HEADERS;

const ON_EVERY_RESPONSE: HeaderName[] = ['Content-Language', 'Cache-Control'];
const ON_COUNTED_REQUESTS: HeaderName[] = ['RateLimit-Policy', 'RateLimit'];
const SERVER_ERRORS: ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];

/** Errors that say when to try again. */
const TEMPORARY: ErrorCode[] = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'MAINTENANCE'];

export function isTemporary(code: ErrorCode): boolean {
  return TEMPORARY.includes(code);
}

const FOR_API_TOKEN: HeaderName[] = ['Deprecation', 'Link'];

/** Rejected before the request reaches the API: it is not counted and has no id. */
const BEFORE_THE_API: ErrorCode[] = ['BAD_REQUEST', 'HTTPS_REQUIRED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'];

/**
 * The headers of a response with one of these codes; without codes, of a successful response. `hasOthers`: the API
 * itself sends this status too.
 */
export function headersFor(
  codes: readonly ErrorCode[],
  { hasOthers = false, acceptsKeyInUrl }: { hasOthers?: boolean; acceptsKeyInUrl: boolean },
): Record<string, Header> {
  const isEarly = (code: ErrorCode): boolean => BEFORE_THE_API.includes(code);
  const always = {
    ...pick(ON_EVERY_RESPONSE, true),
    ...pick(codes.includes('API_NOT_SET') ? ['WWW-Authenticate'] : [], true),
    ...(codes.includes('INVALID_TOKEN') ? { 'WWW-Authenticate': TOKEN_CHALLENGE } : {}),
    ...(codes.includes('MISSING_SCOPE') ? { 'WWW-Authenticate': SCOPE_CHALLENGE } : {}),
    ...pick(codes.some(isTemporary) ? ['Retry-After'] : [], true),
    ...pick(codes.includes('METHOD_NOT_ALLOWED') ? ['Allow'] : [], true),
  };
  if (codes.length > 0 && codes.every(isEarly) && !hasOthers) return always;
  const isLate = !codes.some(isEarly);
  return {
    ...always,
    ...pick(['X-Request-Id'], isLate),
    // These may have happened during counting.
    ...pick(ON_COUNTED_REQUESTS, isLate && !codes.some((code) => SERVER_ERRORS.includes(code))),
    ...pick(acceptsKeyInUrl ? FOR_API_TOKEN : [], false),
  };
}

function pick(names: HeaderName[], required: boolean): Record<string, Header> {
  return Object.fromEntries(names.map((name) => [name, { required, ...HEADERS[name] }]));
}

/** For operations that read an Idempotency-Key. */
export const REPLAY_HEADER = pick(['Idempotent-Replayed'], false);

import { DEFAULT_LOCALE } from '../../domain/locale.ts';
import type { ErrorCode } from '../errors/api-error.ts';
import { ERROR_STATUS, errorBody, VALIDATION_STATUS, validationBody } from '../errors/responses.ts';
import type { FieldFault, ValidationRule } from '../errors/validation-error.ts';
import type { Example, Response, Schema } from './components.ts';
import { headersFor, isTemporary } from './components.ts';

const RULES: Record<ValidationRule, string> = {
  encoding: 'not percent-encoded UTF-8',
  string: 'sent more than once',
  maxLength: 'too long',
  regex: 'wrong format',
  integer: 'not an integer',
  min: 'too small',
  max: 'too large',
  maxItems: 'repeated too many times',
};

const errorFields = {
  ok: { const: false, type: 'boolean' },
  error: {
    type: 'string',
    enum: Object.keys(ERROR_STATUS),
    description: 'The error code, which is stable and never translated. Programs should compare this field.',
  },
  message: {
    type: 'string',
    description:
      'What went wrong and how to fix it, in English or French. It can be more precise than the examples.',
  },
};

const invalidField = {
  type: 'object',
  properties: {
    rule: {
      type: 'string',
      enum: Object.keys(RULES),
      description: `The first rule that the value fails: ${listOf(RULES)}.`,
    },
    field: { type: 'string', description: 'The name of the invalid parameter or header.' },
    message: { type: 'string', description: 'What is wrong with the value, in English or French.' },
  },
  required: ['rule', 'field', 'message'],
};

const temporaryError = {
  type: 'object',
  properties: {
    ...errorFields,
    retry_after: {
      type: 'integer',
      minimum: 1,
      description: 'Seconds to wait before the next request.',
    },
  },
  required: ['ok', 'error', 'message', 'retry_after'],
};

/** The bodies of error responses. */
export const ERROR_SCHEMAS: Record<string, Schema> = {
  Error: { type: 'object', properties: errorFields, required: ['ok', 'error', 'message'] },
  RateLimited: temporaryError,
  Unavailable: temporaryError,
  ValidationErrors: {
    description: 'One entry per invalid parameter. This body has neither `ok` nor `error`.',
    type: 'object',
    properties: { errors: { type: 'array', items: invalidField, minItems: 1 } },
    required: ['errors'],
  },
};

function listOf(rules: Record<string, string>): string {
  return Object.entries(rules)
    .map(([rule, meaning]) => `\`${rule}\` (${meaning})`)
    .join(', ');
}

type Examples = Record<string, Example>;

/**
 * What the error response of an operation can contain. `fault` is an example of an invalid parameter, if there are
 * any.
 */
export type Faults = { codes: readonly ErrorCode[]; fault?: FieldFault };

const EXAMPLE_WAIT_SECONDS = 41;

/** One response per status of the codes, with an example of each body. */
export function errorResponses({ codes, fault }: Faults): Record<string, Response> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      status === VALIDATION_STATUS && fault ? inputErrorResponse(group, fault) : errorResponse(group),
    ]),
  );
}

function errorResponse(codes: readonly ErrorCode[]): Response {
  return {
    description: describe(codes),
    headers: headersFor(codes),
    content: { 'application/json': { schema: errorSchema(codes), examples: examplesOf(codes) } },
  };
}

/** Input errors have a code, or the validation body for an invalid parameter. */
function inputErrorResponse(codes: readonly ErrorCode[], fault: FieldFault): Response {
  const validation = {
    summary: 'Invalid parameter',
    value: validationBody([fault], DEFAULT_LOCALE),
  };
  return {
    description: `${describe(codes)}\n\nIf a parameter is invalid, the body is a list of the invalid fields instead.`,
    headers: headersFor(codes, true),
    content: {
      'application/json': {
        schema: { oneOf: [errorSchema(codes), { $ref: '#/components/schemas/ValidationErrors' }] },
        examples: { ...examplesOf(codes), validation },
      },
    },
  };
}

function errorSchema(codes: readonly ErrorCode[]): Schema {
  const isUnavailable = codes.includes('SERVICE_UNAVAILABLE');
  const name = codes.includes('RATE_LIMITED') ? 'RateLimited' : isUnavailable ? 'Unavailable' : 'Error';
  return {
    allOf: [
      { $ref: `#/components/schemas/${name}` },
      { type: 'object', properties: { error: { type: 'string', enum: [...codes] } } },
    ],
  };
}

function examplesOf(codes: readonly ErrorCode[]): Examples {
  return Object.fromEntries(
    codes.map((code) => {
      const extras = isTemporary(code) ? { retry_after: EXAMPLE_WAIT_SECONDS } : {};
      return [code, { summary: code, value: errorBody(code, DEFAULT_LOCALE, extras) }];
    }),
  );
}

/** The messages that clients receive, so the document always matches the responses. */
function describe(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${errorBody(code, DEFAULT_LOCALE).message}`).join('\n\n');
}

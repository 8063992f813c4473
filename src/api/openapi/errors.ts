import { TOKEN_SCOPES } from '../../domain/keys/api-token.ts';
import { DEFAULT_LOCALE } from '../../domain/locale.ts';
import { type ErrorCode, type ErrorExtras, INELIGIBILITY } from '../errors/api-error.ts';
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
  required: 'missing from the body',
  boolean: 'not `true` or `false`',
  object: 'not an object',
  enum: 'not one of the values',
  ip: 'not an IP address',
};

const VALIDATION_RULES = Object.keys(RULES) as ValidationRule[];

/** Rules of parameters; the others are those of JSON bodies. */
const PARAMETER_RULES: readonly ValidationRule[] = [
  'encoding',
  'string',
  'maxLength',
  'regex',
  'integer',
  'min',
  'max',
  'maxItems',
];

function errorFields(codes: readonly ErrorCode[]) {
  return {
    ok: { const: false, type: 'boolean' },
    error: {
      type: 'string',
      enum: codes,
      description:
        'The error code, which is stable and never translated. Programs should compare this field.',
    },
    message: {
      type: 'string',
      description:
        'What went wrong and how to fix it, in English or French. It can be more precise than the examples.',
    },
  };
}

function invalidField(rules: readonly ValidationRule[]) {
  const meanings = rules.map((rule) => `\`${rule}\` (${RULES[rule]})`).join(', ');
  return {
    type: 'object',
    properties: {
      rule: {
        type: 'string',
        enum: rules,
        description: `The first rule that the value fails: ${meanings}.`,
      },
      field: { type: 'string', description: 'The name of the invalid parameter, field or header.' },
      message: { type: 'string', description: 'What is wrong with the value, in English or French.' },
    },
    required: ['rule', 'field', 'message'],
  };
}

function temporaryError(codes: readonly ErrorCode[]) {
  return {
    type: 'object',
    properties: {
      ...errorFields(codes),
      retry_after: {
        type: 'integer',
        minimum: 1,
        description: 'Seconds to wait before the next request.',
      },
    },
    required: ['ok', 'error', 'message', 'retry_after'],
  };
}

/** The bodies of error responses of an API that has these codes. */
export function errorSchemas({
  codes,
  hasBodies,
}: {
  codes: readonly ErrorCode[];
  hasBodies: boolean;
}): Record<string, Schema> {
  const rules = hasBodies ? VALIDATION_RULES : PARAMETER_RULES;
  return {
    Error: { type: 'object', properties: errorFields(codes), required: ['ok', 'error', 'message'] },
    RateLimited: temporaryError(codes),
    Unavailable: temporaryError(codes),
    ValidationErrors: {
      description: 'One entry per invalid parameter. This body has neither `ok` nor `error`.',
      type: 'object',
      properties: { errors: { type: 'array', items: invalidField(rules), minItems: 1 } },
      required: ['errors'],
    },
  };
}

/** Fields that only some errors have, with an example of each. */
const EXTRA_FIELDS: Partial<Record<ErrorCode, { fields: Record<string, Schema>; example: ErrorExtras }>> = {
  MISSING_SCOPE: {
    fields: { scope: { type: 'string', enum: TOKEN_SCOPES, description: 'The scope that is missing.' } },
    example: { scope: 'guilds:write' },
  },
  ALREADY_VOTED: {
    fields: {
      next_vote_at: { type: 'string', format: 'date-time', description: 'When the next vote is possible.' },
    },
    example: { next_vote_at: '2026-11-15T13:00:00.000Z' },
  },
  NOT_ELIGIBLE: {
    fields: {
      reason: {
        type: 'string',
        enum: INELIGIBILITY,
        description:
          'Why: the user is banned, the account is younger than allowed, the community is sanctioned, or too many accounts have voted from `network`.',
      },
    },
    example: { reason: 'account_too_young' },
  },
};

type Examples = Record<string, Example>;

/**
 * What the error response of an operation can contain. `fault` is an example of an invalid parameter, if there are
 * any.
 */
export type Faults = { codes: readonly ErrorCode[]; fault?: FieldFault };

const EXAMPLE_WAIT_SECONDS = 41;

/** How an API sends errors. `acceptsKeyInUrl`: its responses can have the headers of a deprecated parameter. */
export type ErrorStyle = { acceptsKeyInUrl: boolean };

/** One response per status of the codes, with an example of each body. */
export function errorResponses({ codes, fault }: Faults, style: ErrorStyle): Record<string, Response> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      status === VALIDATION_STATUS && fault
        ? inputErrorResponse(group, fault, style)
        : errorResponse(group, style),
    ]),
  );
}

function errorResponse(codes: readonly ErrorCode[], style: ErrorStyle): Response {
  return {
    description: describe(codes),
    headers: headersFor(codes, style),
    content: { 'application/json': { schema: errorSchema(codes), examples: examplesOf(codes) } },
  };
}

/** Input errors have a code, or the validation body for an invalid parameter. */
function inputErrorResponse(codes: readonly ErrorCode[], fault: FieldFault, style: ErrorStyle): Response {
  const validation = {
    summary: 'Invalid parameter',
    value: validationBody([fault], DEFAULT_LOCALE),
  };
  return {
    description: `${describe(codes)}\n\nIf a parameter is invalid, the body is a list of the invalid fields instead.`,
    headers: headersFor(codes, { ...style, hasOthers: true }),
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
      {
        type: 'object',
        properties: Object.assign(
          { error: { type: 'string', enum: [...codes] } },
          ...codes.map((code) => EXTRA_FIELDS[code]?.fields),
        ),
      },
    ],
  };
}

function examplesOf(codes: readonly ErrorCode[]): Examples {
  return Object.fromEntries(
    codes.map((code) => {
      const extras = isTemporary(code)
        ? { retry_after: EXAMPLE_WAIT_SECONDS }
        : (EXTRA_FIELDS[code]?.example ?? {});
      return [code, { summary: code, value: errorBody(code, DEFAULT_LOCALE, extras) }];
    }),
  );
}

/** The messages that clients receive, so the document always matches the responses. */
function describe(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${errorBody(code, DEFAULT_LOCALE).message}`).join('\n\n');
}

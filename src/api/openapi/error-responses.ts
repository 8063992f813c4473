import type { ErrorCode, FieldFault } from '../../domain/errors.ts';
import { DEFAULT_LOCALE } from '../../domain/locale.ts';
import { errorBody, validationBody } from '../error-body.ts';
import { ERROR_STATUS, VALIDATION_STATUS } from '../error-status.ts';
import { headersFor } from './headers.ts';
import type { Example, Response, Schema } from './types.ts';

type Examples = Record<string, Example>;

/** What an error answer of an operation can hold. `fault` is a parameter that breaks its schema, where there are any. */
export type Faults = { codes: readonly ErrorCode[]; fault?: FieldFault };

const EXAMPLE_WAIT_SECONDS = 41;

/** One answer for each status among the codes, with an example of each body. */
export function errorResponses({ codes, fault }: Faults): Record<string, Response> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      status === VALIDATION_STATUS && fault ? refusal(group, fault) : errorResponse(group),
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

/** An input error is answered with a code, or with the validation body when a parameter breaks its schema. */
function refusal(codes: readonly ErrorCode[], fault: FieldFault): Response {
  const validation = {
    summary: 'A parameter breaks its schema',
    value: validationBody([fault], DEFAULT_LOCALE),
  };
  return {
    description: `${describe(codes)}\n\nOr a parameter breaks its schema: then the body lists the fields.`,
    headers: headersFor(codes),
    content: {
      'application/json': {
        schema: { oneOf: [errorSchema(codes), { $ref: '#/components/schemas/ValidationErrors' }] },
        examples: { ...examplesOf(codes), validation },
      },
    },
  };
}

function errorSchema(codes: readonly ErrorCode[]): Schema {
  const name = codes.includes('RATE_LIMITED') ? 'RateLimited' : 'Error';
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
      const extras = code === 'RATE_LIMITED' ? { retry_after: EXAMPLE_WAIT_SECONDS } : {};
      return [code, { summary: code, value: errorBody(code, DEFAULT_LOCALE, extras) }];
    }),
  );
}

/** The sentences that clients get, so that document and answers never differ. */
function describe(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${errorBody(code, DEFAULT_LOCALE).message}`).join('\n\n');
}

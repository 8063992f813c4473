/** JSON bodies: their size, their syntax, and the validation of their fields. */
import { isIP } from 'node:net';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { isRecord } from '../../domain/record.ts';
import { codePointLength, isSearchable, readPlainText } from '../../domain/text/text.ts';
import { ApiError } from '../errors/api-error.ts';
import { handleError } from '../errors/responses.ts';
import { type FieldFault, ValidationError, type ValidationRule } from '../errors/validation-error.ts';
import { compileValidator } from '../v7/validator.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Requests without a body are accepted with any type; required fields are then missing. */
export function acceptJson(app: FastifyInstance): void {
  const options = { parseAs: 'buffer' as const, bodyLimit: MAX_BODY_BYTES };
  app.setErrorHandler((error, request, reply) =>
    handleError(isTooLarge(error) ? new ApiError('BODY_TOO_LARGE') : error, request, reply),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', options, (_request, body, done) => {
    if (body.length === 0) return done(null);
    try {
      done(null, JSON.parse(UTF8.decode(body)));
    } catch {
      done(ApiError.because('json_malformed'));
    }
  });
  app.addContentTypeParser<Buffer>('*', options, (_request, body, done) => {
    if (body.length === 0) done(null);
    else done(ApiError.because('json_expected'));
  });
}

/** Throws for other bytes, which would become replacement characters in names. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE';
}

/** The schema keywords that are checked. The same schema becomes the OpenAPI document. */
type FieldSchema = {
  type?: string | readonly string[];
  anyOf?: readonly FieldSchema[];
  properties?: Readonly<Record<string, FieldSchema>>;
  required?: readonly string[];
  maxLength?: number;
  pattern?: string;
  format?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
};

type BrokenRule = { rule: ValidationRule; bound?: number };

/** Validates bodies, and parameters as in v7. */
export const compileManageValidator: FastifySchemaCompiler<object> = (route) => {
  if (route.httpPart !== 'body') return compileValidator(route);
  const schema: FieldSchema = route.schema;
  compilePatterns(schema);
  return (body: unknown) => {
    const given = body ?? {};
    if (!isRecord(given) || Array.isArray(given)) return { error: ApiError.because('json_object') };
    const faults: FieldFault[] = [];
    const value = readFields(schema, given, '', faults);
    return faults.length > 0 ? { error: new ValidationError(faults) } : { value };
  };
};

/** The expressions of all schemas, which are compiled when their routes are added. */
const PATTERNS = new Map<string, RegExp>();

function compilePatterns({ pattern, properties = {}, anyOf = [] }: FieldSchema): void {
  if (pattern !== undefined) PATTERNS.set(pattern, new RegExp(pattern));
  for (const inner of [...Object.values(properties), ...anyOf]) compilePatterns(inner);
}

/** The known fields, each with the first rule that it fails. Unknown fields are left out. */
function readFields(
  { properties = {}, required = [] }: FieldSchema,
  given: Readonly<Record<string, unknown>>,
  path: string,
  faults: FieldFault[],
): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const field = path + name;
    const present = Object.hasOwn(given, name) ? given[name] : undefined;
    // As in v7, an empty value counts as absent.
    if (present === undefined || present === '') {
      if (required.includes(name)) faults.push({ field, rule: 'required', isInBody: true });
      continue;
    }
    const broken = brokenRule(schema, present);
    if (broken) faults.push({ field, ...broken, isInBody: true });
    else value[name] = readValue(schema, present, field, faults);
  }
  return value;
}

function readValue(schema: FieldSchema, given: unknown, field: string, faults: FieldFault[]): unknown {
  const { properties } = valueSchema(schema);
  return properties && isRecord(given) ? readFields(valueSchema(schema), given, `${field}.`, faults) : given;
}

/** The schema of a value that is not null. */
function valueSchema(schema: FieldSchema): FieldSchema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

function typesOf({ type, anyOf = [] }: FieldSchema): string[] {
  return [type ?? [], ...anyOf.map(typesOf)].flat().flat();
}

function brokenRule(schema: FieldSchema, given: unknown): BrokenRule | undefined {
  const types = typesOf(schema);
  if (given === null && types.includes('null')) return undefined;
  if (types.includes('string')) return brokenText(schema, given);
  if (types.includes('integer')) return brokenInteger(schema, given);
  if (types.includes('boolean')) return typeof given === 'boolean' ? undefined : { rule: 'boolean' };
  return isRecord(given) && !Array.isArray(given) ? undefined : { rule: 'object' };
}

function brokenText(schema: FieldSchema, given: unknown): BrokenRule | undefined {
  if (typeof given !== 'string') return { rule: 'string' };
  const { maxLength = Number.POSITIVE_INFINITY, pattern, format, enum: values } = schema;
  if (codePointLength(given) > maxLength) return { rule: 'maxLength', bound: maxLength };
  // No database stores other texts exactly.
  if (!isSearchable(given)) return { rule: 'regex' };
  if (pattern !== undefined && !PATTERNS.get(pattern)?.test(given)) return { rule: 'regex' };
  if (values !== undefined && !values.includes(given)) return { rule: 'enum' };
  return format === 'ip' && isIP(given) === 0 ? { rule: 'ip' } : undefined;
}

function brokenInteger({ minimum, maximum }: FieldSchema, given: unknown): BrokenRule | undefined {
  if (typeof given !== 'number' || !Number.isInteger(given)) return { rule: 'integer' };
  if (minimum !== undefined && given < minimum) return { rule: 'min', bound: minimum };
  return maximum !== undefined && given > maximum ? { rule: 'max', bound: maximum } : undefined;
}

/** A text that people read, such as a name, trimmed. Its length is validated by the schema. */
export function plainText(text: string, field: string): string {
  const plain = readPlainText(text, MAX_BODY_BYTES);
  if (plain === undefined) throw new ValidationError([{ field, rule: 'regex', isInBody: true }]);
  return plain;
}

export function optionalText(text: string | null | undefined, field: string): string | null {
  return text === null || text === undefined ? null : plainText(text, field);
}

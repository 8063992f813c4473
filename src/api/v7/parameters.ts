/** The parameters of a request: query strings are validated by schema, and cursors by their signature. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifySchemaCompiler } from 'fastify';
import { type FieldFault, ValidationError, type ValidationRule } from '../../domain/errors.ts';
import { keysOf } from '../../domain/secrets.ts';
import { codePointLength } from '../../domain/text.ts';
import type { Period } from '../../domain/votes/period.ts';
import type { VotePosition } from '../../domain/votes/vote.ts';

/** The schema keywords that are checked. The same schema becomes the OpenAPI document. */
type ParameterSchema = {
  type?: 'string' | 'integer' | 'array';
  items?: ParameterSchema;
  maxItems?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
};

type BrokenRule = { rule: ValidationRule; bound?: number };

type Rule = BrokenRule & { isBroken: (text: string) => boolean };

const INTEGER = /^-?[0-9]+$/;

/**
 * Validates query strings strictly: "1e2" and " 5" are not integers. Empty values count as absent; each field reports
 * the first rule it fails.
 *
 * Other parts of a request are not validated here, because the contract has an error code for each of them.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart !== 'querystring') return (value: unknown) => ({ value });
  const properties = hasParameters(schema) ? schema.properties : {};
  const parameters = Object.entries(properties).map(([name, parameter]) => ({
    name,
    parameter,
    validate: compileParameter(parameter),
  }));

  return (query: Record<string, string | string[]>) => {
    const value: Record<string, unknown> = {};
    const faults: FieldFault[] = [];
    for (const { name, parameter, validate } of parameters) {
      const given = query[name];
      const broken = given ? validate(given) : undefined;
      if (broken) faults.push(toFault(name, broken));
      else if (given) value[name] = convert(parameter, given);
      else if (parameter.default !== undefined) value[name] = parameter.default;
    }
    return faults.length > 0 ? { error: new ValidationError(faults) } : { value };
  };
};

function hasParameters(schema: object): schema is { properties: Record<string, ParameterSchema> } {
  return 'properties' in schema;
}

function convert({ type }: ParameterSchema, given: string | string[]): unknown {
  if (type === 'array') return itemsOf(given);
  return type === 'integer' ? Number(given) : given;
}

/** Empty values of a repeated parameter count as absent. */
function itemsOf(given: string | string[]): string[] {
  return [given].flat().filter((item) => item !== '');
}

/** Returns the first rule that the value fails. */
function compileParameter(parameter: ParameterSchema): (given: string | string[]) => BrokenRule | undefined {
  const { type, items = {}, maxItems = Number.POSITIVE_INFINITY } = parameter;
  if (type === 'array') {
    const rules = rulesOf(items);
    return (given) => {
      const values = itemsOf(given);
      if (values.length > maxItems) return { rule: 'maxItems', bound: maxItems };
      return values.map((value) => firstBroken(rules, value)).find((broken) => broken !== undefined);
    };
  }
  const rules = rulesOf(parameter);
  return (given) => (typeof given === 'string' ? firstBroken(rules, given) : { rule: 'string' });
}

function firstBroken(rules: readonly Rule[], text: string): BrokenRule | undefined {
  return rules.find((rule) => rule.isBroken(text));
}

function toFault(field: string, { rule, bound }: BrokenRule): FieldFault {
  return bound === undefined ? { field, rule } : { field, rule, bound };
}

function rulesOf({ type, maxLength, pattern, minimum, maximum }: ParameterSchema): Rule[] {
  const rules: Rule[] = [];
  if (maxLength !== undefined) {
    rules.push({
      rule: 'maxLength',
      bound: maxLength,
      isBroken: (text) => codePointLength(text) > maxLength,
    });
  }
  if (pattern !== undefined) {
    const regex = new RegExp(pattern);
    rules.push({ rule: 'regex', isBroken: (text) => !regex.test(text) });
  }
  if (type === 'integer') rules.push({ rule: 'integer', isBroken: (text) => !INTEGER.test(text) });
  if (minimum !== undefined)
    rules.push({ rule: 'min', bound: minimum, isBroken: (text) => Number(text) < minimum });
  if (maximum !== undefined)
    rules.push({ rule: 'max', bound: maximum, isBroken: (text) => Number(text) > maximum });
  return rules;
}

/**
 * What a cursor is bound to: it is only valid for the list it was issued for. `userId` is null for the whole guild.
 */
export type CursorScope = { guildId: string; userId: string | null };

/**
 * The contents of a cursor: the period and total of the first page, and the last vote returned. The period keeps all
 * pages consistent while time passes; the total is counted only once.
 */
export type Cursor = { period: Period; total: number; after: VotePosition };

const SEPARATOR = '.';

export function encodeCursor(cursor: Cursor, scope: CursorScope, cursorKey: Buffer): string {
  const { period, total, after } = cursor;
  const fields = [period.from, period.to, total, after.castAt, after.userId];
  return sealCursor(fields, voteListScope(scope), cursorKey);
}

/** The cursor, or `undefined` if this text was not issued for this scope. */
export function decodeCursor(text: string, scope: CursorScope, cursorKey: Buffer): Cursor | undefined {
  const fields = openCursor(text, voteListScope(scope), cursorKey);
  if (!fields) return undefined;
  const [from, to, total, castAt, userId = ''] = fields;
  return {
    period: { from: Number(from), to: Number(to) },
    total: Number(total),
    after: { castAt: Number(castAt), userId },
  };
}

function voteListScope({ guildId, userId }: CursorScope): string[] {
  return ['v1', guildId, userId ?? '*'];
}

/** An opaque, authenticated text. `scope` is what the cursor is bound to; it is not part of the text. */
export function sealCursor(
  fields: readonly (string | number)[],
  scope: readonly string[],
  cursorKey: Buffer,
): string {
  const payload = Buffer.from(fields.join(SEPARATOR)).toString('base64url');
  return payload + SEPARATOR + sign(payload, scope, keysOf(cursorKey)[0]);
}

/**
 * The fields of a cursor that was issued for this scope. The signature covers the text as sent, so another encoding
 * of the same bytes is rejected too.
 */
export function openCursor(text: string, scope: readonly string[], cursorKey: Buffer): string[] | undefined {
  const [payload = '', signature = '', ...rest] = text.split(SEPARATOR);
  const isIssued = keysOf(cursorKey).some((key) => isEqual(signature, sign(payload, scope, key)));
  if (rest.length > 0 || !isIssued) return undefined;
  return Buffer.from(payload, 'base64url').toString().split(SEPARATOR);
}

function sign(payload: string, scope: readonly string[], key: Buffer): string {
  return createHmac('sha256', key)
    .update([...scope, payload].join('|'))
    .digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

import type { FastifySchemaCompiler } from 'fastify';
import { codePointLength } from '../../domain/text/text.ts';
import { type FieldFault, ValidationError, type ValidationRule } from '../errors/validation-error.ts';

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

import type { FastifySchemaCompiler } from 'fastify';
import { type FieldFault, ValidationError, type ValidationRule } from '../../domain/errors.ts';
import { codePointLength } from '../../domain/identifiers.ts';

/** The keywords of a parameter's schema that are checked. The same schema becomes the OpenAPI document. */
type ParameterSchema = {
  type?: 'string' | 'integer';
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
};

type Rule = { rule: ValidationRule; bound?: number; isBroken: (text: string) => boolean };

const INTEGER = /^-?[0-9]+$/;

/**
 * Checks query strings against their schema, strictly: "1e2" and " 5" are not whole numbers. An empty value
 * counts as not given; each field reports the first rule it breaks.
 *
 * The other parts of a request are never refused here: the contract has an error code for each of them.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  if (httpPart !== 'querystring') return (value: unknown) => ({ value });
  const properties = hasParameters(schema) ? schema.properties : {};
  const parameters = Object.entries(properties).map(([name, parameter]) => ({
    name,
    parameter,
    rules: rulesOf(parameter),
  }));

  return (query: Record<string, string | string[]>) => {
    const value: Record<string, unknown> = {};
    const faults: FieldFault[] = [];
    for (const { name, parameter, rules } of parameters) {
      const given = query[name];
      const fault = given ? faultOf(name, given, rules) : undefined;
      if (fault) faults.push(fault);
      else if (given) value[name] = parameter.type === 'integer' ? Number(given) : given;
      else if (parameter.default !== undefined) value[name] = parameter.default;
    }
    return faults.length > 0 ? { error: new ValidationError(faults) } : { value };
  };
};

function hasParameters(schema: object): schema is { properties: Record<string, ParameterSchema> } {
  return 'properties' in schema;
}

function faultOf(field: string, given: string | string[], rules: Rule[]): FieldFault | undefined {
  if (typeof given !== 'string') return { field, rule: 'string' };
  const broken = rules.find((rule) => rule.isBroken(given));
  if (!broken) return undefined;
  const { rule, bound } = broken;
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

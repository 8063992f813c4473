import type { ValidationRule } from '../../domain/errors.ts';
import { ERROR_STATUS } from '../error-status.ts';
import type { Schema } from './types.ts';

const RULES: Record<ValidationRule, string> = {
  string: 'given more than once',
  maxLength: 'too long',
  regex: 'of the wrong form',
  integer: 'no whole number',
  min: 'too small',
  max: 'too large',
};

const errorFields = {
  ok: { const: false, type: 'boolean' },
  error: {
    type: 'string',
    enum: Object.keys(ERROR_STATUS),
    description: 'What went wrong, for programs. Never translated.',
  },
  message: {
    type: 'string',
    description: 'What went wrong and what to do, for people. In English or French.',
  },
};

const invalidField = {
  type: 'object',
  properties: {
    rule: {
      type: 'string',
      enum: Object.keys(RULES),
      description: `The first rule that the value breaks: ${listOf(RULES)}.`,
    },
    field: { type: 'string', description: 'The parameter.' },
    message: { type: 'string', description: 'The same for people, in English or French.' },
  },
  required: ['rule', 'field', 'message'],
};

/** The bodies that error answers have. */
export const ERROR_SCHEMAS: Record<string, Schema> = {
  Error: { type: 'object', properties: errorFields, required: ['ok', 'error', 'message'] },
  RateLimited: {
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
  },
  ValidationErrors: {
    description: 'One entry for each parameter that breaks its schema. There is no `ok` and no `error` here.',
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

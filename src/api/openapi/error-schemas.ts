import Type from 'typebox';
import { ERROR_STATUS, type ErrorCode, type ValidationRule } from '../../domain/errors.ts';

const RULES: Record<ValidationRule, string> = {
  string: 'given more than once',
  maxLength: 'too long',
  regex: 'of the wrong form',
  integer: 'no whole number',
  min: 'too small',
  max: 'too large',
};

const errorFields = {
  ok: Type.Literal(false),
  error: Type.Unsafe<ErrorCode>({
    type: 'string',
    enum: Object.keys(ERROR_STATUS),
    description: 'What went wrong, for programs. Never translated.',
  }),
  message: Type.String({ description: 'What went wrong and what to do, for people. In English or French.' }),
};

/** The bodies that error answers have. */
export const ERROR_SCHEMAS = {
  Error: Type.Object(errorFields),
  RateLimited: Type.Object({
    ...errorFields,
    retry_after: Type.Integer({ minimum: 1, description: 'Seconds to wait before the next request.' }),
  }),
  ValidationErrors: Type.Object(
    {
      errors: Type.Array(
        Type.Object({
          rule: Type.Unsafe<ValidationRule>({
            type: 'string',
            enum: Object.keys(RULES),
            description: `The first rule that the value breaks: ${listOf(RULES)}.`,
          }),
          field: Type.String({ description: 'The parameter.' }),
          message: Type.String({ description: 'The same for people, in English or French.' }),
        }),
        { minItems: 1 },
      ),
    },
    {
      description:
        'One entry for each parameter that breaks its schema. There is no `ok` and no `error` here.',
    },
  ),
};

function listOf(rules: Record<string, string>): string {
  return Object.entries(rules)
    .map(([rule, meaning]) => `\`${rule}\` (${meaning})`)
    .join(', ');
}

import type { ErrorCode, ValidationRule } from '../../domain/errors.ts';

/** Everything the API says in a human language. A catalogue that lacks a sentence does not compile. */
export type Messages = {
  errors: Record<ErrorCode, string>;
  /** What a parameter must be, as the end of a sentence that `fieldMessage` begins. */
  rules: Record<ValidationRule, (bound: number | undefined, field: string) => string>;
  fieldMessage: (field: string, rule: string) => string;
};

/** The one header that is validated like a parameter. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

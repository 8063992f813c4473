import type { ErrorCode, ValidationRule } from '../../domain/errors.ts';

/** Every text the API returns. A catalogue with a missing message does not compile. */
export type Messages = {
  errors: Record<ErrorCode, string>;
  /** Completes the sentence that `fieldMessage` begins. */
  rules: Record<ValidationRule, (bound: number | undefined, field: string) => string>;
  fieldMessage: (field: string, rule: string) => string;
};

/** The only header that is validated like a parameter. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

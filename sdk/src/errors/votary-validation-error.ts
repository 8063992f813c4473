import { isVotaryError, VotaryError } from './votary-error.ts';

/** An invalid parameter. `field` is its name in the API, such as `discord_id`. */
export type FieldFault = { field: string; rule: string; message: string };

/** One or more parameters are invalid. `fields` says which ones, and why. */
export class VotaryValidationError extends VotaryError {
  readonly fields: readonly FieldFault[];

  constructor(fields: readonly FieldFault[], status: number) {
    super('VALIDATION_ERROR', fields.map(({ field, message }) => `${field}: ${message}`).join('; '), {
      status,
    });
    this.name = 'VotaryValidationError';
    this.fields = fields;
  }
}

export function isVotaryValidationError(value: unknown): value is VotaryValidationError {
  return isVotaryError(value) && 'fields' in value;
}

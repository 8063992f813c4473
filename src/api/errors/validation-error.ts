/** The validation rules of parameters and of fields of a body, in order. */
export type ValidationRule =
  | 'encoding'
  | 'string'
  | 'maxLength'
  | 'regex'
  | 'integer'
  | 'min'
  | 'max'
  | 'maxItems'
  | 'required'
  | 'boolean'
  | 'object'
  | 'enum'
  | 'ip';

/** A parameter or field that failed a rule. `bound` is the limit of the rule (191, 1000 …), for the message. */
export type FieldFault = { field: string; rule: ValidationRule; bound?: number; isInBody?: boolean };

/** One or more parameters failed validation. Returned as the validation body, which has its own format. */
export class ValidationError extends Error {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly FieldFault[]) {
    super(`invalid parameters: ${faults.map((fault) => `${fault.field} (${fault.rule})`).join(', ')}`);
    this.name = 'ValidationError';
    this.faults = faults;
  }
}

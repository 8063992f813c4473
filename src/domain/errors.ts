/** Every error code of the API. Code throws `new ApiError('INVALID_CURSOR')`; `src/api` maps it to a status. */
export type ErrorCode =
  | 'API_NOT_SET'
  | 'INVALID_API_TOKEN'
  | 'PREMIUM_REQUIRED'
  | 'MISSING_IDENTIFIER'
  | 'MULTIPLE_IDENTIFIERS'
  | 'INVALID_DATE'
  | 'INVALID_DATE_RANGE'
  | 'DATE_RANGE_TOO_LARGE'
  | 'INVALID_CURSOR'
  | 'INVALID_USER_ID'
  | 'INVALID_VOTE_ID'
  | 'IDEMPOTENCY_MISMATCH'
  | 'RATE_LIMITED'
  | 'METHOD_NOT_ALLOWED'
  | 'HTTPS_REQUIRED'
  | 'BAD_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR';

/** Additional fields of an error body. */
export type ErrorExtras = { retry_after?: number };

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, extras: ErrorExtras = {}) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.extras = extras;
  }
}

/** The validation rules of parameters, in order. */
export type ValidationRule = 'string' | 'maxLength' | 'regex' | 'integer' | 'min' | 'max' | 'maxItems';

/** A parameter that failed a rule. `bound` is the limit of the rule (191, 1000 …), for the message. */
export type FieldFault = { field: string; rule: ValidationRule; bound?: number };

/** One or more parameters failed validation. Returned as the validation body, which has its own format. */
export class ValidationError extends Error {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly FieldFault[]) {
    super(`invalid parameters: ${faults.map((fault) => `${fault.field} (${fault.rule})`).join(', ')}`);
    this.name = 'ValidationError';
    this.faults = faults;
  }
}

/**
 * Every error code a client can meet, and its HTTP status. This table is the only place where the two meet:
 * code throws `new ApiError('INVALID_CURSOR')` and never names a status.
 */
export const ERROR_STATUS = {
  API_NOT_SET: 401,
  INVALID_API_TOKEN: 401,
  PREMIUM_REQUIRED: 403,
  MISSING_IDENTIFIER: 400,
  MULTIPLE_IDENTIFIERS: 400,
  INVALID_DATE: 400,
  INVALID_DATE_RANGE: 400,
  DATE_RANGE_TOO_LARGE: 400,
  INVALID_CURSOR: 400,
  INVALID_USER_ID: 400,
  RATE_LIMITED: 429,
  METHOD_NOT_ALLOWED: 405,
  HTTPS_REQUIRED: 403,
  BAD_REQUEST: 400,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Statuses that are not an error body: metrics under a foreign name, an unknown route (always empty), a database that cannot be asked. */
export const FORBIDDEN_STATUS = 403;
export const NOT_FOUND_STATUS = 404;
export const NOT_READY_STATUS = 503;

/** Every page that tells a person what went wrong, and its HTTP status. */
export const PAGE_STATUS = {
  NOT_FOUND: 404,
  GUILD_NOT_FOUND: 404,
  FORBIDDEN: 403,
  STALE_FORM: 403,
  BAD_EXTERNAL_ID: 400,
  BAD_RETURN_ADDRESS: 400,
  BAD_FORM: 400,
  SIGN_IN_DENIED: 403,
  SIGN_IN_STALE: 400,
  SIGN_IN_UNAVAILABLE: 502,
  SIGN_IN_NOT_CONFIGURED: 503,
  SIGN_IN_ENDED: 401,
  BROKEN: 500,
} as const;

export type PageFault = keyof typeof PAGE_STATUS;

/** What another server says of a token that it does not take. */
export const TOKEN_REFUSED_STATUS = 401;

/** What a receiver of webhooks says when it never wants one again. */
export const GONE_STATUS = 410;

/** Where a form leads after it did its work: the browser asks for the next page with GET. */
export const SEE_OTHER_STATUS = 303;

/** Extra fields of an error body, beside `ok`, `error` and `message`. */
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

/** The rules a parameter can break, in the order they are tried. */
export type ValidationRule = 'string' | 'maxLength' | 'regex' | 'integer' | 'min' | 'max';

/** One parameter that broke a rule. `bound` is the figure of the rule (191, 1000 …), for the message. */
export type FieldFault = { field: string; rule: ValidationRule; bound?: number };

/** One or more parameters broke their schema: answered with the validation body, which has a shape of its own. */
export class ValidationError extends Error {
  readonly faults: readonly FieldFault[];

  constructor(faults: readonly FieldFault[]) {
    super(`invalid parameters: ${faults.map((fault) => `${fault.field} (${fault.rule})`).join(', ')}`);
    this.name = 'ValidationError';
    this.faults = faults;
  }
}

export const VALIDATION_STATUS = 400;

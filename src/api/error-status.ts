import type { ErrorCode } from '../domain/errors.ts';

/** The HTTP status of every error code. This table is the only place where the two meet. */
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
} as const satisfies Record<ErrorCode, number>;

/** Parameters that break their schema: a body of its own shape. */
export const VALIDATION_STATUS = 400;

/** An unknown route: an empty body. */
export const NOT_FOUND_STATUS = 404;

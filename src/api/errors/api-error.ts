import type { RefusalCode } from '../../http/refusal.ts';

/** Every error code of the API. Code throws `new ApiError('INVALID_CURSOR')`; responses.ts maps it to a status. */
export type ErrorCode =
  | RefusalCode
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
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';

/**
 * Causes that have a message of their own, and the code that they explain. The code stays the same, so programs do not
 * have to know them.
 */
const ERROR_REASONS = {
  placeholder: 'API_NOT_SET',
  bearer_missing: 'API_NOT_SET',
  suspended: 'INVALID_API_TOKEN',
  premium_ended: 'PREMIUM_REQUIRED',
  default_from: 'INVALID_DATE_RANGE',
  default_to: 'INVALID_DATE_RANGE',
  from_in_future: 'INVALID_DATE_RANGE',
  listforge_object: 'BAD_REQUEST',
  listforge_element: 'BAD_REQUEST',
  listforge_unknown: 'BAD_REQUEST',
  listforge_name: 'BAD_REQUEST',
  listforge_voters: 'BAD_REQUEST',
  feed_cursor: 'INVALID_CURSOR',
  feed_votes_missing: 'INVALID_CURSOR',
} as const satisfies Record<string, ErrorCode>;

export type ErrorReason = keyof typeof ERROR_REASONS;

/** Additional fields of an error body. */
export type ErrorExtras = { retry_after?: number };

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;
  /** Chooses a more precise message. */
  readonly reason: ErrorReason | undefined;

  constructor(code: ErrorCode, extras: ErrorExtras = {}, reason?: ErrorReason) {
    super(reason === undefined ? code : `${code} (${reason})`);
    this.name = 'ApiError';
    this.code = code;
    this.extras = extras;
    this.reason = reason;
  }

  static because(reason: ErrorReason): ApiError {
    return new ApiError(ERROR_REASONS[reason], {}, reason);
  }
}

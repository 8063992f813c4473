/** The codes of the API, followed by those of this client. A newer service may return codes that are not listed here. */
export type VotaryErrorCode =
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
  | 'INTERNAL_ERROR'
  /** The database of the service does not respond. Such calls are retried, as long as `timeoutMs` allows. */
  | 'SERVICE_UNAVAILABLE'
  /** One or more parameters are invalid: a `VotaryValidationError`, which lists them. */
  | 'VALIDATION_ERROR'
  /** The service could not be reached, even after two retries. */
  | 'NETWORK_ERROR'
  /** The certificate of the service is self-signed, expired or for another name; the message says what to do. */
  | 'CERTIFICATE_ERROR'
  /** The call took longer than `timeoutMs`. */
  | 'TIMEOUT'
  /** The response is not from this API: a proxy's error page, a redirect, or a body that is not JSON. */
  | 'INVALID_RESPONSE'
  /** The API is not at this address: `baseUrl` is probably wrong. */
  | 'NOT_FOUND'
  /** An option or argument is invalid. */
  | 'INVALID_ARGUMENT'
  | (string & {});

/** What is known about an error besides its code and message. */
export type VotaryErrorDetails = { status?: number | null; retryAfter?: number | null; cause?: unknown };

/** Lets two copies of this package in one project recognize each other's errors. */
const MARK = Symbol.for('@votary/sdk.error');

/** Every error that this package throws, except the reason of an abort signal, which is passed on unchanged. */
export class VotaryError extends Error {
  /** Stable and not localized: compare `code`, show `message`. */
  readonly code: VotaryErrorCode;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Seconds to wait before the next attempt, if the service or a proxy sent them. */
  readonly retryAfter: number | null;

  constructor(code: VotaryErrorCode, message: string, details: VotaryErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'VotaryError';
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfter = details.retryAfter ?? null;
    Object.defineProperty(this, MARK, { value: true });
  }
}

export function isVotaryError(value: unknown): value is VotaryError {
  return value instanceof Error && MARK in value;
}

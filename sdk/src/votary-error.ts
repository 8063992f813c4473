/** Codes of the API, then those of this client. A newer service may answer with codes that are not listed yet. */
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
  /** One or more parameters broke their rules: a `VotaryValidationError`, which names them. */
  | 'VALIDATION_ERROR'
  /** The service could not be reached, also not on the second and third try. */
  | 'NETWORK_ERROR'
  /** The certificate of the service is self-signed, expired or for another name; the message says what to do. */
  | 'CERTIFICATE_ERROR'
  /** The call took longer than `timeoutMs`. */
  | 'TIMEOUT'
  /** Something answered that does not speak this API: a proxy's error page, a redirect, a body that is not JSON. */
  | 'INVALID_RESPONSE'
  /** Nothing of the API is at this address: `baseUrl` is probably wrong. */
  | 'NOT_FOUND'
  /** The client was given an option or argument that cannot work. */
  | 'INVALID_ARGUMENT'
  | (string & {});

/** What is known of an error beside its code and message. */
export type VotaryErrorDetails = { status?: number | null; retryAfter?: number | null; cause?: unknown };

/** Two copies of this package in one project recognise each other's errors by this mark. */
const MARK = Symbol.for('@votary/sdk.error');

/** Every error of this package, the reason of an abort signal excepted: that is passed on as it is. */
export class VotaryError extends Error {
  /** Always English and stable: compare this, show `message`. */
  readonly code: VotaryErrorCode;
  /** The HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** Seconds after which another try makes sense, where the service, or a proxy before it, said so. */
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

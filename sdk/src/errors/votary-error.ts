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
  | 'TOO_MANY_CONSUMERS'
  | ManageErrorCode
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

/** The codes that only the management API returns. */
export type ManageErrorCode =
  /** The token is missing, wrong, expired or revoked; the message says which. */
  | 'INVALID_TOKEN'
  | 'MISSING_SCOPE'
  | 'GUILD_NOT_FOUND'
  | 'GUILD_EXISTS'
  /** The user voted within the last hour: `nextVoteAt` says when the next vote is possible. */
  | 'ALREADY_VOTED'
  /** The user cannot vote for this community: `reason` says why. */
  | 'NOT_ELIGIBLE'
  /** The service does not accept votes at the moment: `message` says why, `retryAfter` when to try again. */
  | 'MAINTENANCE'
  | 'BAN_NOT_FOUND'
  | 'BATCH_NOT_FOUND'
  | 'VOTE_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'CONFIRMATION_REQUIRED'
  | 'BODY_TOO_LARGE'
  /** A request with the same idempotency key is still being processed. Such calls are retried. */
  | 'IDEMPOTENCY_IN_PROGRESS';

/** Why a user cannot vote. A newer service may return reasons that are not listed here. */
export type IneligibilityReason = 'banned' | 'account_too_young' | 'sanctioned' | 'network' | (string & {});

/** What is known about an error besides its code and message. */
export type VotaryErrorDetails = {
  status?: number | null;
  retryAfter?: number | null;
  reason?: IneligibilityReason | null;
  nextVoteAt?: Date | null;
  cause?: unknown;
};

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
  /** Why a user cannot vote, for `NOT_ELIGIBLE`; otherwise null. */
  readonly reason: IneligibilityReason | null;
  /** When the user can vote again, for `ALREADY_VOTED`; otherwise null. */
  readonly nextVoteAt: Date | null;

  constructor(code: VotaryErrorCode, message: string, details: VotaryErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'VotaryError';
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.reason = details.reason ?? null;
    this.nextVoteAt = details.nextVoteAt ?? null;
    Object.defineProperty(this, MARK, { value: true });
  }
}

export function isVotaryError(value: unknown): value is VotaryError {
  return value instanceof Error && MARK in value;
}

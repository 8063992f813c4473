import type { RefusalCode } from '../../http/refusal.ts';

/** Every error code of the v7 contract. */
export type V7ErrorCode =
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
  | 'TOO_MANY_CONSUMERS'
  | 'RATE_LIMITED'
  | 'METHOD_NOT_ALLOWED'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';

/** Error codes that only the management API returns. */
export type ManageErrorCode =
  | 'INVALID_TOKEN'
  | 'MISSING_SCOPE'
  | 'GUILD_NOT_FOUND'
  | 'GUILD_EXISTS'
  | 'ALREADY_VOTED'
  | 'NOT_ELIGIBLE'
  | 'MAINTENANCE'
  | 'BAN_NOT_FOUND'
  | 'BATCH_NOT_FOUND'
  | 'VOTE_NOT_FOUND'
  | 'USER_NOT_FOUND'
  | 'CONFIRMATION_REQUIRED'
  | 'BODY_TOO_LARGE'
  | 'IDEMPOTENCY_IN_PROGRESS';

/** Code throws `new ApiError('INVALID_CURSOR')`; responses.ts maps it to a status. */
export type ErrorCode = V7ErrorCode | ManageErrorCode;

/**
 * Causes that have a message of their own, and the code that they explain. The code stays the same, so programs do not
 * have to know them.
 */
const V7_REASONS = {
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
  topgg_user_id: 'BAD_REQUEST',
  topgg_page: 'BAD_REQUEST',
  topgg_source: 'BAD_REQUEST',
  topgg_start_date: 'INVALID_DATE',
  topgg_cursor: 'INVALID_CURSOR',
  feed_cursor: 'INVALID_CURSOR',
  feed_votes_missing: 'INVALID_CURSOR',
} as const satisfies Record<string, ErrorCode>;

const MANAGE_REASONS = {
  token_missing: 'INVALID_TOKEN',
  token_is_key: 'INVALID_TOKEN',
  token_expired: 'INVALID_TOKEN',
  token_revoked: 'INVALID_TOKEN',
  being_removed: 'GUILD_EXISTS',
  json_malformed: 'BAD_REQUEST',
  json_expected: 'BAD_REQUEST',
  json_object: 'BAD_REQUEST',
  ban_over: 'INVALID_DATE',
  void_selection: 'MISSING_IDENTIFIER',
  void_selections: 'MULTIPLE_IDENTIFIERS',
  network_unknown: 'VOTE_NOT_FOUND',
} as const satisfies Record<string, ErrorCode>;

const ERROR_REASONS = { ...V7_REASONS, ...MANAGE_REASONS };

export type V7ErrorReason = keyof typeof V7_REASONS;
export type ManageErrorReason = keyof typeof MANAGE_REASONS;
export type ErrorReason = V7ErrorReason | ManageErrorReason;

/** Why a user cannot vote, in `NOT_ELIGIBLE`. */
export const INELIGIBILITY = ['banned', 'account_too_young', 'sanctioned', 'network'] as const;

/** Additional fields of an error body. */
export type ErrorExtras = {
  /** Replaces the text of the code: what the operator says. */
  message?: string;
  retry_after?: number;
  /** The missing scope. */
  scope?: string;
  next_vote_at?: string;
  reason?: (typeof INELIGIBILITY)[number];
};

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

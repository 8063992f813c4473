/** The responses that errors of the API become: their status, headers and body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Locale } from '../../domain/locale.ts';
import { HttpRefusal } from '../../http/refusal.ts';
import { StoreUnavailableError, UnknownGuildError } from '../../store/store.ts';
import { requestLocale } from '../request-locale.ts';
import { ApiError, type ErrorCode, type ErrorExtras, type ErrorReason } from './api-error.ts';
import { apiMessages } from './messages.ts';
import { type FieldFault, ValidationError, type ValidationRule } from './validation-error.ts';

/** The HTTP status of every error code. The only place that maps one to the other. */
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
  INVALID_VOTE_ID: 400,
  IDEMPOTENCY_MISMATCH: 400,
  RATE_LIMITED: 429,
  METHOD_NOT_ALLOWED: 405,
  HTTPS_REQUIRED: 403,
  BAD_REQUEST: 400,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const satisfies Record<ErrorCode, number>;

/** Invalid parameters: the validation body. */
export const VALIDATION_STATUS = 400;

/** An unknown route: an empty body. */
export const NOT_FOUND_STATUS = 404;

const UNAUTHORIZED_STATUS = 401;

export type ErrorBody = { ok: false; error: ErrorCode; message: string } & ErrorExtras;

export type ValidationBody = { errors: { rule: ValidationRule; field: string; message: string }[] };

/** The error body of the contract. The code is never translated, the message always is. */
export function errorBody(
  code: ErrorCode,
  locale: Locale,
  extras: ErrorExtras = {},
  reason?: ErrorReason,
): ErrorBody {
  const { errors, reasons } = apiMessages[locale];
  const message = reason === undefined ? errors[code] : reasons[reason];
  return { ok: false, error: code, message, ...extras };
}

/** The body for invalid parameters: it has neither `ok` nor `error`. */
export function validationBody(faults: readonly FieldFault[], locale: Locale): ValidationBody {
  const { rules, fieldMessage } = apiMessages[locale];
  return {
    errors: faults.map(({ field, rule, bound }) => ({
      rule,
      field,
      message: fieldMessage(field, rules[rule](bound, field)),
    })),
  };
}

/** The only place where errors become responses. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const locale = requestLocale(request);
  reply.header('content-language', locale);
  reply.header('cache-control', 'no-store');
  if (error instanceof ValidationError) {
    return reply.code(VALIDATION_STATUS).send(validationBody(error.faults, locale));
  }
  const { code, extras, reason } = toApiError(error, request);
  const status = ERROR_STATUS[code];
  if (extras.retry_after !== undefined) reply.header('retry-after', extras.retry_after);
  if (status === UNAUTHORIZED_STATUS) reply.header('www-authenticate', challengeFor(code, reason));
  return reply.code(status).send(errorBody(code, locale, extras, reason));
}

/** The challenge of a 401 (RFC 6750): `invalid_token` only if the request had a key, even a placeholder. */
function challengeFor(code: ErrorCode, reason?: ErrorReason): string {
  const hadKey = code === 'INVALID_API_TOKEN' || reason === 'placeholder';
  return hadKey ? 'Bearer realm="api", error="invalid_token"' : 'Bearer realm="api"';
}

/** Other errors are either rejections by the framework or bugs, whose details are only logged. */
function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof HttpRefusal) return new ApiError(error.code);
  // The guild was removed after its key was looked up, so the key is no longer valid.
  if (error instanceof UnknownGuildError) return new ApiError('INVALID_API_TOKEN');
  if (isRefusedByFramework(error)) return new ApiError('BAD_REQUEST');
  if (error instanceof StoreUnavailableError) {
    request.log.error({ err: error }, 'request failed: the database is unavailable');
    return new ApiError('SERVICE_UNAVAILABLE', { retry_after: error.retryAfterSeconds });
  }
  request.log.error({ err: error }, 'request failed');
  return new ApiError('INTERNAL_ERROR');
}

function isRefusedByFramework(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode < ERROR_STATUS.INTERNAL_ERROR;
}

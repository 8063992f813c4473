/** The responses that errors of the API become: their status, headers and body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Locale } from '../../domain/locale.ts';
import { HttpRefusal } from '../../http/refusal.ts';
import { StoreUnavailableError, UnknownGuildError } from '../../store/store.ts';
import { requestLocale } from '../request-locale.ts';
import {
  ApiError,
  type ErrorCode,
  type ErrorExtras,
  type ErrorReason,
  type ManageErrorCode,
  type V7ErrorCode,
} from './api-error.ts';
import { apiMessages } from './messages.ts';
import { type FieldFault, ValidationError, type ValidationRule } from './validation-error.ts';

/** The HTTP status of every error code of the contract. */
export const V7_ERROR_STATUS = {
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
  TOO_MANY_CONSUMERS: 400,
  RATE_LIMITED: 429,
  METHOD_NOT_ALLOWED: 405,
  HTTPS_REQUIRED: 403,
  BAD_REQUEST: 400,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const satisfies Record<V7ErrorCode, number>;

/** Resources that do not exist are a 404 here; v7 has no such errors. */
export const MANAGE_ERROR_STATUS = {
  INVALID_TOKEN: 401,
  MISSING_SCOPE: 403,
  GUILD_NOT_FOUND: 404,
  GUILD_EXISTS: 409,
  ALREADY_VOTED: 409,
  NOT_ELIGIBLE: 403,
  MAINTENANCE: 503,
  BAN_NOT_FOUND: 404,
  BATCH_NOT_FOUND: 404,
  VOTE_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  CONFIRMATION_REQUIRED: 400,
  BODY_TOO_LARGE: 413,
  IDEMPOTENCY_IN_PROGRESS: 409,
} as const satisfies Record<ManageErrorCode, number>;

/** The only place that maps codes to statuses. */
export const ERROR_STATUS = { ...V7_ERROR_STATUS, ...MANAGE_ERROR_STATUS };

/** Invalid parameters: the validation body. */
export const VALIDATION_STATUS = 400;

/** An unknown route: an empty body. */
export const NOT_FOUND_STATUS = 404;

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
  return {
    errors: faults.map((fault) => ({
      rule: fault.rule,
      field: fault.field,
      message: faultMessage(fault, locale),
    })),
  };
}

function faultMessage({ field, rule, bound, isInBody = false }: FieldFault, locale: Locale): string {
  const { rules, fieldMessage, bodyFieldMessage, notString } = apiMessages[locale];
  const broken = rules[rule](bound, field);
  if (!isInBody) return fieldMessage(field, broken);
  return bodyFieldMessage(field, rule === 'string' ? notString : broken);
}

/** The only place where errors become responses. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof ValidationError)) return reply.send(prepareError(error, request, reply));
  const locale = setErrorHeaders(request, reply);
  return reply.code(VALIDATION_STATUS).send(validationBody(error.faults, locale));
}

/** Sets the status and the headers of an error, and returns its body, for other formats of it. */
export function prepareError(error: unknown, request: FastifyRequest, reply: FastifyReply): ErrorBody {
  const locale = setErrorHeaders(request, reply);
  const { code, extras, reason } = toApiError(error, request);
  const status = ERROR_STATUS[code];
  if (extras.retry_after !== undefined) reply.header('retry-after', extras.retry_after);
  const challenge = challengeOf(code, extras, reason);
  if (challenge !== undefined) reply.header('www-authenticate', challenge);
  reply.code(status);
  return errorBody(code, locale, extras, reason);
}

function setErrorHeaders(request: FastifyRequest, reply: FastifyReply): Locale {
  const locale = requestLocale(request);
  reply.header('content-language', locale);
  reply.header('cache-control', 'no-store');
  return locale;
}

/** The challenge of an error (RFC 6750): `invalid_token` only if the request had a key or token, even a placeholder. */
function challengeOf(code: ErrorCode, { scope }: ErrorExtras, reason?: ErrorReason): string | undefined {
  const invalid = ', error="invalid_token"';
  switch (code) {
    case 'API_NOT_SET':
      return `Bearer realm="api"${reason === 'placeholder' ? invalid : ''}`;
    case 'INVALID_API_TOKEN':
      return `Bearer realm="api"${invalid}`;
    case 'INVALID_TOKEN':
      return `Bearer realm="manage"${reason === 'token_missing' ? '' : invalid}`;
    case 'MISSING_SCOPE':
      return `Bearer realm="manage", error="insufficient_scope", scope="${scope}"`;
    default:
      return undefined;
  }
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

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  type ErrorCode,
  type ErrorExtras,
  type FieldFault,
  ValidationError,
  type ValidationRule,
} from '../domain/errors.ts';
import { chooseLocale, type Locale } from '../domain/locale.ts';
import { firstText } from '../domain/text.ts';
import { UnknownGuildError } from '../store/store.ts';
import { en, fr, type Messages } from './messages.ts';

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
} as const satisfies Record<ErrorCode, number>;

/** Invalid parameters: the validation body. */
export const VALIDATION_STATUS = 400;

/** An unknown route: an empty body. */
export const NOT_FOUND_STATUS = 404;

const CATALOGUES: Record<Locale, Messages> = { en, fr };

export type ErrorBody = { ok: false; error: ErrorCode; message: string } & ErrorExtras;

export type ValidationBody = { errors: { rule: ValidationRule; field: string; message: string }[] };

/** The error body of the contract. The code is never translated, the message always is. */
export function errorBody(code: ErrorCode, locale: Locale, extras: ErrorExtras = {}): ErrorBody {
  return { ok: false, error: code, message: CATALOGUES[locale].errors[code], ...extras };
}

/** The body for invalid parameters: it has neither `ok` nor `error`. */
export function validationBody(faults: readonly FieldFault[], locale: Locale): ValidationBody {
  const { rules, fieldMessage } = CATALOGUES[locale];
  return {
    errors: faults.map(({ field, rule, bound }) => ({
      rule,
      field,
      message: fieldMessage(field, rules[rule](bound, field)),
    })),
  };
}

/** The only place where errors become responses. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const locale = requestLocale(request);
  reply.header('content-language', locale);
  reply.header('cache-control', 'no-store');
  if (error instanceof ValidationError) {
    return reply.code(VALIDATION_STATUS).send(validationBody(error.faults, locale));
  }
  const { code, extras } = toApiError(error, request);
  if (extras.retry_after !== undefined) reply.header('retry-after', extras.retry_after);
  return reply.code(ERROR_STATUS[code]).send(errorBody(code, locale, extras));
}

/** Other errors are either rejections by the framework or bugs, whose details are only logged. */
function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  // The guild was removed after its key was looked up, so the key is no longer valid.
  if (error instanceof UnknownGuildError) return new ApiError('INVALID_API_TOKEN');
  if (isRefusedByFramework(error)) return new ApiError('BAD_REQUEST');
  request.log.error({ err: error }, 'request failed');
  return new ApiError('INTERNAL_ERROR');
}

function isRefusedByFramework(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode < ERROR_STATUS.INTERNAL_ERROR;
}

/** The language of the response. */
export function requestLocale(request: FastifyRequest): Locale {
  return chooseLocale({
    parameter: firstText(request.query, 'locale'),
    xLocale: firstText(request.headers, 'x-locale'),
    acceptLanguage: request.headers['accept-language'],
  });
}

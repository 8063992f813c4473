import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, ValidationError } from '../domain/errors.ts';
import { errorBody, validationBody } from './error-body.ts';
import { ERROR_STATUS, VALIDATION_STATUS } from './error-status.ts';
import { requestLocale } from './request-locale.ts';

/** The one place where an error becomes an answer. */
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

/** An error that is not ours is the framework refusing the request, or a fault of ours that only the log may tell. */
function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (isRefusedByFramework(error)) return new ApiError('BAD_REQUEST');
  request.log.error({ err: error }, 'request failed');
  return new ApiError('INTERNAL_ERROR');
}

function isRefusedByFramework(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode < ERROR_STATUS.INTERNAL_ERROR;
}

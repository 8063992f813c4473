/** The header `Idempotency-Key`, the only header that is validated like a parameter. */
import type { FastifyRequest } from 'fastify';
import { ValidationError } from './errors/validation-error.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const IDEMPOTENCY_KEY_MAX_LENGTH = 255;

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
export const IDEMPOTENCY_KEY_PATTERN = VISIBLE_ASCII.source;

/** Null if the header is absent. An empty one is an error, because the client expects that retries are safe. */
export function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  const field = IDEMPOTENCY_KEY;
  if (key.length > IDEMPOTENCY_KEY_MAX_LENGTH) {
    throw new ValidationError([{ field, rule: 'maxLength', bound: IDEMPOTENCY_KEY_MAX_LENGTH }]);
  }
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key))
    throw new ValidationError([{ field, rule: 'regex' }]);
  return key;
}

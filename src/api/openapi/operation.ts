import type { ErrorCode } from '../errors/api-error.ts';
import type { Example } from './components.ts';
import type { Faults } from './errors.ts';

declare module 'fastify' {
  interface FastifySchema {
    operation?: Operation;
    /** Leaves the route out of the document. */
    hide?: boolean;
  }
}

/** The description of an operation, in addition to its schemas. It is part of the schema of its route. */
export type Operation = {
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** Whether it needs a key, or in the management API a token. */
  needsKey: boolean;
  success: string;
  /** Whether it reads an Idempotency-Key. */
  isIdempotent?: boolean;
  examples?: Record<string, Example>;
} & Faults;

/** Errors that every endpoint can return. */
export const ANYWHERE: ErrorCode[] = [
  'BAD_REQUEST',
  'HTTPS_REQUIRED',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
];

export const WITH_KEY: ErrorCode[] = ['API_NOT_SET', 'INVALID_API_TOKEN', ...ANYWHERE];

export const WITH_IDENTIFIER: ErrorCode[] = ['MISSING_IDENTIFIER', 'MULTIPLE_IDENTIFIERS', ...WITH_KEY];

/** Used in the examples of all operations and events. */
export const EXAMPLE = {
  guildId: '100000000000000001',
  userId: '200000000000000001',
  externalId: 'Steve_42',
  votedAt: '2026-11-15T12:00:00.000Z',
} as const;

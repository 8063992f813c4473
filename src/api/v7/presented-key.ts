import type { FastifyRequest } from 'fastify';
import { firstText } from '../../domain/first-text.ts';

export type PresentedKey = { source: 'authorization' | 'x-api-token' | 'api_token'; key: string };

const BEARER = /^bearer(?:\s+(.*))?$/is;

/**
 * The key a request carries. The first place where one is present decides, even when it is empty there: an
 * unset variable in `Authorization: Bearer $KEY` must be told, not papered over by another source.
 */
export function presentedKey(request: FastifyRequest): PresentedKey | undefined {
  const bearer = bearerKey(request.headers.authorization);
  if (bearer !== undefined) return { source: 'authorization', key: bearer };
  const header = firstText(request.headers, 'x-api-token');
  if (header !== undefined) return { source: 'x-api-token', key: header };
  const parameter = firstText(request.query, 'api_token');
  if (parameter) return { source: 'api_token', key: parameter };
  return undefined;
}

function bearerKey(authorization = ''): string | undefined {
  // As nearly everybody writes it; the expression is for the rest.
  if (authorization.startsWith('Bearer ')) return authorization.slice('Bearer '.length).trim();
  const bearer = BEARER.exec(authorization);
  return bearer ? (bearer[1]?.trim() ?? '') : undefined;
}

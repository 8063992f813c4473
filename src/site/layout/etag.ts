import type { FastifyReply, FastifyRequest } from 'fastify';

const NOT_MODIFIED_STATUS = 304;

/** Sets the ETag of a response. True if the browser has this version already, so that the response needs no body. */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, version: string): boolean {
  const etag = `"${version}"`;
  reply.header('etag', etag);
  const known = request.headers['if-none-match'] ?? '';
  if (known.trim() !== '*' && !known.includes(etag)) return false;
  reply.code(NOT_MODIFIED_STATUS);
  return true;
}

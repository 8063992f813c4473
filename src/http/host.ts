import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { isValidHost } from '../domain/host.ts';
import { HttpRefusal } from './refusal.ts';

/**
 * Rejects requests with a missing, repeated or invalid host. Pages and redirects contain the host, so it is
 * checked once, before anything reads `request.host`.
 */
export const validateHost = fastifyPlugin((app, _options, done) => {
  app.addHook('onRequest', (request, _reply, next) => {
    next(hasValidHost(request) ? undefined : new HttpRefusal('BAD_REQUEST'));
  });
  done();
});

function hasValidHost(request: FastifyRequest): boolean {
  // Fastify reads X-Forwarded-Host only from a trusted proxy; `request.host` is then the entry that this proxy wrote.
  return hasValidHostHeader(request.raw) && isValidHost(request.host);
}

export function hasValidHostHeader({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  // HTTP/1.1 requires a Host header in every request.
  if (headers.host === undefined && httpVersion === '1.1') return false;
  return isValidHost(headers.host ?? '') && !isRepeated(rawHeaders);
}

/** Node keeps the first of several Host headers, a proxy may have used another one. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { siteLocale } from './context.ts';

/**
 * Only our own files are loaded or run, and pages cannot be framed. Browsers apply form-action to redirects too, so a
 * form that requires sign-in must be allowed to redirect there.
 */
function contentSecurityPolicy({ signInOrigin, challengeOrigin }: PolicyOrigins): string {
  const challenge = challengeOrigin === null ? '' : ` ${challengeOrigin}`;
  return [
    "default-src 'none'",
    `script-src 'self'${challenge}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action 'self'${signInOrigin === null ? '' : ` ${signInOrigin}`}`,
    ...(challengeOrigin === null ? [] : [`frame-src ${challengeOrigin}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `challengeOrigin`: the origin of an external challenge's script and frame. */
export type PolicyOrigins = { signInOrigin: string | null; challengeOrigin: string | null };

export function pageHeaders(origins: PolicyOrigins) {
  const headers = {
    'content-security-policy': contentSecurityPolicy(origins),
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const ownPolicy = reply.getHeader('content-security-policy');
    reply.headers(headers);
    if (ownPolicy !== undefined) reply.header('content-security-policy', ownPolicy);
    addPageHeaders(request, reply);
  };
}

function addPageHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (!String(reply.getHeader('content-type')).startsWith('text/html')) return;
  // Pages show who is signed in, so they are never cached.
  reply.header('cache-control', 'no-store');
  reply.header('content-language', siteLocale(request));
  reply.header('vary', 'Accept-Language, Cookie');
}

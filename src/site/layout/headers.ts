import type { FastifyReply, FastifyRequest } from 'fastify';
import { siteLocale } from './context.ts';

/**
 * Only our own files are loaded or run, and pages cannot be framed. Browsers apply form-action to redirects too, so a
 * form that requires sign-in must be allowed to redirect there.
 */
function contentSecurityPolicy({ signInOrigin, challengeOrigin }: PolicyOrigins, pictures = ''): string {
  const challenge = challengeOrigin === null ? '' : ` ${challengeOrigin}`;
  return [
    "default-src 'none'",
    `script-src 'self'${challenge}`,
    "style-src 'self'",
    `img-src 'self' data:${pictures}`,
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action 'self'${signInOrigin === null ? '' : ` ${signInOrigin}`}`,
    ...(challengeOrigin === null ? [] : [`frame-src ${challengeOrigin}`]),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `challengeOrigin`: the origin of an external challenge's script and frame. */
export type PolicyOrigins = {
  signInOrigin: string | null;
  challengeOrigin: string | null;
  pictureOrigin: string;
};

const ADMIN_PAGE = /^\/(?:dashboard|operator)(?:[/?]|$)/;

export function pageHeaders(origins: PolicyOrigins) {
  const policy = contentSecurityPolicy(origins);
  // Profile pictures are loaded from Discord, by people who signed in there, and nowhere else.
  const adminPolicy = contentSecurityPolicy(origins, ` ${origins.pictureOrigin}`);
  const headers = {
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', ADMIN_PAGE.test(request.url) ? adminPolicy : policy);
    reply.headers(headers);
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

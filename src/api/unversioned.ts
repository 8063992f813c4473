/**
 * The paths of the API without their version. They are not part of the contract, and some look like a page
 * (`/guild/votes`), so programs get an error body here that names the right path, never HTML. Unknown paths below a
 * version still have an empty body, as the contract requires.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiMessages } from './errors/messages.ts';
import { NOT_FOUND_STATUS } from './errors/responses.ts';
import { requestLocale } from './request-locale.ts';
import { V7_PATHS, V7_PREFIX } from './v7/index.ts';

export async function unversioned(app: FastifyInstance): Promise<void> {
  for (const path of V7_PATHS) {
    const versioned = `${V7_PREFIX}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    app.all(path, (request, reply) => sendMissingVersion(request, reply, versioned));
  }
}

function sendMissingVersion(request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
  const locale = requestLocale(request);
  return reply
    .code(NOT_FOUND_STATUS)
    .headers({ 'content-language': locale, 'cache-control': 'no-store' })
    .send({ ok: false, error: 'NOT_FOUND', message: apiMessages[locale].missingVersion(path) });
}

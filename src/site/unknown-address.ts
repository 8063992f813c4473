import type { FastifyInstance, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { limitHeaderList } from '../domain/locale.ts';
import type { SiteDeps } from './deps.ts';
import { sendFaultPage } from './error-pages.ts';
import { PAGE_STATUS } from './page-error.ts';

const VERSIONED = /^\/v\d+(?:[/?]|$)/i;

/**
 * The contract answers an unknown address with 404 and an empty body, so that no program takes it for an error
 * body. Only a browser, which asks for HTML by name, is told in words.
 */
export function answerUnknownAddresses(app: FastifyInstance, deps: SiteDeps): void {
  app.register(async (unknown) => {
    // A body sent to nowhere is not read, so it cannot be wrong either.
    unknown.removeAllContentTypeParsers();
    unknown.addContentTypeParser('*', (_request, _payload, done) => done(null));
    unknown.setNotFoundHandler((request, reply) =>
      wantsPage(request)
        ? sendFaultPage('NOT_FOUND', request, reply, deps.signIn)
        : reply.code(PAGE_STATUS.NOT_FOUND).send(),
    );
  });
}

function wantsPage(request: FastifyRequest): boolean {
  if (VERSIONED.test(request.url)) return false;
  const accept = limitHeaderList(request.headers.accept ?? '*/*');
  return new Negotiator({ headers: { accept } }).mediaTypes().includes('text/html');
}

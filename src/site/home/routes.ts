import type { FastifyInstance } from 'fastify';
import { pageContext } from '../context.ts';
import type { SiteDeps } from '../deps.ts';
import { createListing, readWish } from './listing.ts';
import { renderHomePage } from './view.ts';

export function homeRoute(app: FastifyInstance, deps: SiteDeps): void {
  const listing = createListing(deps);
  app.get('/', async (request, reply) => {
    const context = await pageContext(request, reply, deps.signIn);
    const page = renderHomePage(context, await listing(readWish(request.query)));
    return reply.type('text/html; charset=utf-8').send(page);
  });
}

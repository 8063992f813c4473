import type { FastifyInstance } from 'fastify';
import type { SiteDeps } from '../deps.ts';
import { pageContext, sendPage } from '../layout/context.ts';
import { createListing, readListingQuery } from './listing.ts';
import { renderHomePage } from './view.ts';

export function homeRoute(app: FastifyInstance, deps: SiteDeps): void {
  const listing = createListing(deps);
  app.get('/', async (request, reply) => {
    const context = pageContext(request, reply, deps.signIn);
    const page = renderHomePage(context, await listing(readListingQuery(request.query)));
    return sendPage(reply, page);
  });
}

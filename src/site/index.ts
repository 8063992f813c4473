/**
 * What people see: the listing, the voting page and the dashboard. Rendered on the server, usable without
 * JavaScript, and apart from the API: another way to sign in, other errors, other headers.
 */
import formbody from '@fastify/formbody';
import staticFiles from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { DAY_MS } from '../domain/clock.ts';
import { ASSETS_PREFIX, PUBLIC_DIRECTORY } from './assets.ts';
import { dashboard } from './dashboard/index.ts';
import type { SiteDeps } from './deps.ts';
import { answerWithPage } from './error-pages.ts';
import { homeRoute } from './home/routes.ts';
import { localeRoute } from './locale-route.ts';
import { pageHeaders } from './page-headers.ts';
import { session } from './session.ts';
import { signOutRoute } from './sign-in/sign-out.ts';
import { answerUnknownAddresses } from './unknown-address.ts';
import { voteRoutes } from './vote/routes.ts';

const YEAR_MS = 365 * DAY_MS;

export async function site(app: FastifyInstance, deps: SiteDeps): Promise<void> {
  const { clock, secrets, signIn } = deps;
  app.setErrorHandler(answerWithPage(signIn));
  app.addHook('onSend', pageHeaders(signIn.origin));
  app.register(staticFiles, {
    root: PUBLIC_DIRECTORY,
    prefix: ASSETS_PREFIX,
    maxAge: YEAR_MS,
    immutable: true,
  });
  app.register(formbody);
  app.register(session, { key: secrets.sessionKey, clock, isDemo: signIn.isDemo });

  app.register(async (pages) => {
    homeRoute(pages, deps);
    voteRoutes(pages, deps);
    pages.register(dashboard, deps);
    localeRoute(pages);
    signIn.routes(pages);
    signOutRoute(pages);
  });
  answerUnknownAddresses(app, deps);
}

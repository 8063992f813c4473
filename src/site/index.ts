/**
 * The pages: listing, voting page and dashboard. Rendered on the server, usable without JavaScript, and separate from
 * the API: different authentication, errors and headers.
 */
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DAY_MS, SECOND_MS } from '../domain/clock.ts';
import { LOCALES } from '../domain/locale.ts';
import { firstText } from '../domain/record.ts';
import { Tallies } from '../store/moderation/tallies.ts';
import type { UserProfile } from '../store/users.ts';
import { nameRoute } from './account-name.ts';
import { dashboard } from './dashboard/index.ts';
import type { SiteDeps } from './deps.ts';
import { docsPages } from './docs/index.ts';
import { PageError, SEE_OTHER_STATUS } from './errors/page-error.ts';
import { handleErrorWithPage, handleUnknownPaths, showRefusal } from './errors/pages.ts';
import { type Board, createBoard } from './home/board.ts';
import { discoveryRoutes } from './home/discovery.ts';
import { homeRoute } from './home/routes.ts';
import { assetRoute } from './layout/assets.ts';
import { brandRoutes } from './layout/brand.ts';
import { PICTURE_ORIGIN } from './layout/people.ts';
import { compressResponse, LOCALE_COOKIE, pageHeaders } from './layout/responses.ts';
import { operatorConsole } from './operator/index.ts';
import { isVisit, ownPath } from './paths.ts';
import { privacyRoute } from './privacy/routes.ts';
import { profileRoutes } from './profile/routes.ts';
import { session } from './session.ts';
import { sharingRoutes } from './sharing/routes.ts';
import { signInLimiter, signOutRoute } from './sign-in/sign-in.ts';
import { voteRoutes } from './vote/routes.ts';

/** Twice the longest form: a profile with 2,000 emoji and every byte escaped. */
const MAX_FORM_BYTES = 64 * 1024;

export async function site(app: FastifyInstance, deps: SiteDeps): Promise<void> {
  const { store, clock, secrets, signIn, signInLimits, operators = new Set() } = deps;
  const tallies = deps.tallies ?? new Tallies(store.operator, clock);
  app.setErrorHandler(handleErrorWithPage(signIn));
  app.addHook(
    'onSend',
    pageHeaders({
      signInOrigin: signIn.origin,
      pictureOrigin: PICTURE_ORIGIN,
      challengeOrigin: deps.voting.challengeOrigin,
    }),
  );
  app.addHook('onSend', compressResponse);
  assetRoute(app);
  app.register(formbody, { bodyLimit: MAX_FORM_BYTES });
  const onSignIn = async (profile: UserProfile) => {
    tallies.count('sign_ins');
    await store.users.remember(profile, clock()).catch((error: unknown) => {
      app.log.warn({ err: error }, 'the name of a user was not stored');
    });
  };
  app.register(session, {
    key: secrets.sessionKey,
    clock,
    isDemo: signIn.isDemo,
    users: store.users,
    onSignIn,
  });

  app.register(async (pages) => {
    pages.addHook('onRequest', refuseCrossSiteForms);
    pages.addHook('onRequest', showRefusal(signIn));
    const board = createBoard(deps);
    keepReady(pages, board);
    homeRoute(pages, deps, board);
    discoveryRoutes(pages, deps, board);
    brandRoutes(pages);
    sharingRoutes(pages, deps, board);
    profileRoutes(pages, deps, board);
    docsPages(pages, deps);
    privacyRoute(pages, deps);
    voteRoutes(pages, deps, board);
    nameRoute(pages, deps);
    pages.register(dashboard, deps);
    pages.register(operatorConsole, { ...deps, operators, tallies });
    localeRoute(pages);
    pages.register(async (signInPages) => {
      const limiter = signInLimiter({ rates: store.rates, clock, limits: signInLimits });
      signInPages.addHook('onRequest', limiter.countRequest);
      signIn.routes(signInPages, limiter);
    });
    signOutRoute(pages, signIn);
  });
  handleUnknownPaths(app, deps);
}

/** After a start, the first requests of bots and game servers are answered before this takes the time of the process. */
const READY_AFTER_MS = SECOND_MS;

/** Keeps the board ready while the server listens. Tests that inject requests read it on demand. */
function keepReady(app: FastifyInstance, board: Board): void {
  let stop = (): void => undefined;
  app.addHook('onListen', async () => {
    const timer = setTimeout(() => {
      stop = board.keepReady();
    }, READY_AFTER_MS).unref();
    stop = () => clearTimeout(timer);
  });
  app.addHook('onClose', async () => stop());
}

/**
 * Rejects forms sent by other sites. They arrive without the session cookie (SameSite=Lax), but the browser would
 * store the cookies of the response: a session, and the start of a sign-in.
 */
async function refuseCrossSiteForms(request: FastifyRequest): Promise<void> {
  const isCrossSite = request.headers['sec-fetch-site'] === 'cross-site';
  if (isCrossSite && !isVisit(request)) throw new PageError('CROSS_SITE_FORM');
}

const REMEMBERED_SECONDS = (365 * DAY_MS) / SECOND_MS;

/** `/locale?to=fr&back=/dashboard`: a plain link, so it works without JavaScript. */
export function localeRoute(app: FastifyInstance): void {
  app.get('/locale', (request, reply) => {
    const wanted = firstText(request.query, 'to');
    const locale = LOCALES.find((known) => known === wanted);
    if (locale) {
      reply.setCookie(LOCALE_COOKIE, locale, {
        path: '/',
        maxAge: REMEMBERED_SECONDS,
        httpOnly: true,
        secure: true,
        sameSite: 'lax',
      });
    }
    return reply.redirect(ownPath(firstText(request.query, 'back')), SEE_OTHER_STATUS);
  });
}

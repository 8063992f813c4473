import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { limitHeaderList } from '../../domain/locale.ts';
import { withoutTrailingSlashes } from '../../domain/text/text.ts';
import { HttpRefusal } from '../../http/refusal.ts';
import { StoreUnavailableError, UnknownGuildError } from '../../store/store.ts';
import { DASHBOARD_LIMITS } from '../dashboard/access.ts';
import type { SiteDeps } from '../deps.ts';
import { redirectWithFlash } from '../flash.ts';
import { type Content, html } from '../layout/html.ts';
import { operatorLinks } from '../layout/operator-links.ts';
import { type PageContext, renderPage } from '../layout/page.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import { isVisit, ownPath, pathToReturnTo, profilePath, signInAddress } from '../paths.ts';
import { SignInRequired } from '../session.ts';
import { faultMessages } from './messages.ts';
import { PAGE_STATUS, PageError, type PageFault, SEE_OTHER_STATUS } from './page-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a form whose errors are its direct response, without a redirect. */
    answersDirectly?: boolean;
  }
}

/** The only place where errors of the site become pages. */
export function handleErrorWithPage(options: { isDemo: boolean }) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Rejected before a page was reached (plain HTTP through a proxy): the response is that of the API.
    if (error instanceof HttpRefusal) throw error;
    if (error instanceof SignInRequired && isVisit(request)) return askToSignIn(request, reply);
    const fault = faultOf(error);
    if (fault === 'BROKEN') request.log.error({ err: error }, 'page failed');
    else if (fault === 'UNAVAILABLE')
      request.log.error({ err: error }, 'page failed: the database is unavailable');
    else if (error instanceof PageError && error.cause !== undefined) {
      request.log.warn({ err: error }, 'page could not be shown');
    }
    const note = error instanceof PageError ? error.note : undefined;
    const refused = { fault, retryAfterSeconds: retryAfterOf(error), requestId: request.id, note };
    return redirectRefusal(request, reply, refused) ?? sendRefusal(request, reply, options, refused);
  };
}

function retryAfterOf(error: unknown): number | undefined {
  const isTemporary = error instanceof PageError || error instanceof StoreUnavailableError;
  return isTemporary ? error.retryAfterSeconds : undefined;
}

type Refusal = NonNullable<NonNullable<FastifyRequest['flash']>['refused']>;

/** The error is shown at the URL of the page with the form, so that reloading it loads the form. */
function redirectRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refused: Refusal,
): FastifyReply | undefined {
  const isDirect = isVisit(request) || request.routeOptions.config.answersDirectly;
  if (isDirect || request.headers.referer === undefined) return undefined;
  return redirectWithFlash(request, reply, pathToReturnTo(request), { refused });
}

function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  options: { isDemo: boolean },
  { fault, ...details }: Refusal,
): FastifyReply {
  if (details.retryAfterSeconds !== undefined) reply.header('retry-after', details.retryAfterSeconds);
  return sendFaultPage(fault, request, reply, { ...options, ...details });
}

/** Shows the error that `redirectRefusal` has put into the flash. */
export function showRefusal(options: { isDemo: boolean }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const refused = request.flash?.refused;
    return refused && sendRefusal(request, reply, options, refused);
  };
}

function sendFaultPage(
  fault: PageFault,
  request: FastifyRequest,
  reply: FastifyReply,
  options: {
    isDemo: boolean;
    retryAfterSeconds?: number | undefined;
    requestId?: string;
    note?: string | undefined;
  },
): FastifyReply {
  const context = pageContext(request, reply, options);
  const { title, text, action, back, requestId } = faultMessages[context.locale](
    fault,
    options.retryAfterSeconds,
  );
  const main = html`<div class="card center fault"><span class="fault-mark" aria-hidden="true">!</span><h1>${title}</h1>${options.note !== undefined && html`<p>${options.note}</p>`}<p class="muted">${text}${fault === 'SANCTIONED' && operatorLinks(context.brand)}</p>${fault === 'BROKEN' && html`<p class="muted small-text">${requestId} <code>${options.requestId ?? request.id}</code></p>`}<div class="row fault-actions">${actionButton(fault, action, context)}<a class="button secondary" href="/">${back}</a></div></div>`;
  return sendPage(reply.code(PAGE_STATUS[fault]), renderPage(context, { title, main }));
}

/** Errors for which loading the page again is the next step. */
const RELOADABLE: ReadonlySet<PageFault> = new Set(['BROKEN', 'UNAVAILABLE', 'MAINTENANCE', 'STALE_FORM']);

/** The page of the community has its invite and its links, where a working vote link can be found. */
const LINK_FAULTS: ReadonlySet<PageFault> = new Set([
  'BAD_EXTERNAL_ID',
  'BAD_RETURN_ADDRESS',
  'LINK_NOT_SIGNED',
  'LINK_SIGNATURE_WRONG',
  'LINK_EXPIRED',
]);
const VOTE_PAGE = /^\/guild\/(\d+)\/vote\b/;

/** The suggested action: reload, sign in or, if still signed in, go back to the page. */
function actionButton(fault: PageFault, name: string | undefined, { person, path }: PageContext): Content {
  if (name === undefined) return null;
  if (LINK_FAULTS.has(fault)) {
    const [, guildId] = VOTE_PAGE.exec(path) ?? [];
    return guildId !== undefined && html`<a class="button" href="${profilePath(guildId)}">${name}</a>`;
  }
  if (RELOADABLE.has(fault)) return html`<a class="button" href="${path}">${name}</a>`;
  const isTemporary =
    fault === 'SIGN_IN_UNAVAILABLE' || fault === 'SIGN_IN_PAUSED' || fault in DASHBOARD_LIMITS;
  const returnsToPage = isTemporary && person !== null;
  return html`<a class="button" href="${returnsToPage ? path : signInAddress(path)}">${name}</a>`;
}

function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(signInAddress(request.url), SEE_OTHER_STATUS);
}

function faultOf(error: unknown): PageFault {
  if (error instanceof PageError) return error.fault;
  if (error instanceof SignInRequired) return 'SIGN_IN_ENDED';
  // The guild was removed while the request was handled.
  if (error instanceof UnknownGuildError) return 'GUILD_NOT_FOUND';
  if (error instanceof StoreUnavailableError) return 'UNAVAILABLE';
  if (!(error instanceof Error) || !('statusCode' in error)) return 'BROKEN';
  if (error.statusCode === PAGE_STATUS.STALE_FORM) return 'STALE_FORM';
  if (error.statusCode === PAGE_STATUS.FORM_TOO_LARGE) return 'FORM_TOO_LARGE';
  const isRefused = typeof error.statusCode === 'number' && error.statusCode < PAGE_STATUS.BROKEN;
  return isRefused ? 'BAD_FORM' : 'BROKEN';
}

const MOVED_PERMANENTLY_STATUS = 301;
const VERSIONED = /^\/v\d+(?:[/?]|$)/i;

/**
 * The contract requires an empty body for an unknown path, so that no program takes it for an error body. Only
 * browsers, which ask for HTML, get a page.
 */
export function handleUnknownPaths(app: FastifyInstance, deps: SiteDeps): void {
  app.register(async (unknown) => {
    // The body of a request to an unknown path is not read.
    unknown.removeAllContentTypeParsers();
    unknown.addContentTypeParser('*', (_request, _payload, done) => done(null));
    unknown.setNotFoundHandler((request, reply) => {
      if (!wantsPage(request)) return reply.code(PAGE_STATUS.NOT_FOUND).send();
      const path = withoutTrailingSlash(request);
      if (path !== undefined) return reply.redirect(path, MOVED_PERMANENTLY_STATUS);
      return sendFaultPage('NOT_FOUND', request, reply, deps.signIn);
    });
  });
}

/** The same URL without slashes at the end of its path; `undefined` if there are none to remove. */
function withoutTrailingSlash(request: FastifyRequest): string | undefined {
  const { url } = request;
  const queryStart = url.indexOf('?');
  const given = queryStart === -1 ? url : url.slice(0, queryStart);
  const path = ownPath(withoutTrailingSlashes(given) + url.slice(given.length));
  return isVisit(request) && given.endsWith('/') && path !== '/' ? path : undefined;
}

function wantsPage(request: FastifyRequest): boolean {
  if (VERSIONED.test(request.url)) return false;
  const accept = limitHeaderList(request.headers.accept ?? '*/*');
  return new Negotiator({ headers: { accept } }).mediaTypes().includes('text/html');
}

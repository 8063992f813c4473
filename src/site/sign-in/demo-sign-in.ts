import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../domain/address.ts';
import type { Clock } from '../../domain/clock.ts';
import { firstText } from '../../domain/first-text.ts';
import { pageContext } from '../context.ts';
import { isFromOutside } from '../demo-request.ts';
import { renderPage } from '../layout/page.ts';
import { PageError, SEE_OTHER_STATUS } from '../page-error.ts';
import { sendPage } from '../send-page.ts';
import { startSession } from '../session.ts';
import { backPath } from './back-path.ts';
import { demoPage } from './demo-page.ts';
import { DEMO_PEOPLE, type DemoPerson } from './demo-people.ts';
import { requirePerson } from './require-person.ts';
import type { SignIn } from './sign-in.ts';

/** Anybody may be one of three people. Only for `serve --demo` on a loopback address (choose-sign-in.ts). */
export function demoSignIn({ clock }: { clock: Clock }): SignIn {
  const signIn: SignIn = {
    isDemo: true,
    isConfigured: true,
    origin: null,
    routes(app) {
      app.register(async (pages) => {
        pages.addHook('onRequest', async (request) => requireOwnMachine(request));
        showRoute(pages, signIn);
        choiceRoute(pages, clock);
      });
    },
    adminGuilds: async (request) => [...(findPerson(requirePerson(request).userId)?.guilds ?? [])],
  };
  return signIn;
}

/**
 * Under any other name somebody else's machine would be asking: through a tunnel, or from a page whose name was
 * made to point here.
 */
function requireOwnMachine(request: FastifyRequest): void {
  if (!isLoopbackHost(request.hostname)) throw new PageError('SIGN_IN_NOT_CONFIGURED');
  if (isFromOutside(request)) throw new PageError('DEMO_FROM_OUTSIDE');
}

function showRoute(app: FastifyInstance, signIn: SignIn): void {
  app.get('/sign-in', async (request, reply) => {
    const context = pageContext(request, reply, signIn);
    const back = backPath(firstText(request.query, 'back')) ?? '/';
    // Protected although nobody is signed in: otherwise any page could sign its visitors in as somebody else.
    const page = demoPage(context.locale, { back, csrfToken: reply.generateCsrf() });
    return sendPage(reply, renderPage(context, page));
  });
}

function choiceRoute(app: FastifyInstance, clock: Clock): void {
  app.post('/sign-in', { preHandler: app.csrfProtection }, (request, reply): FastifyReply => {
    const chosen = findPerson(firstText(request.body, 'person'));
    if (!chosen) throw new PageError('BAD_FORM');
    const person = { userId: chosen.userId, name: chosen.name };
    startSession(request, { person, signedInAt: clock(), isDemo: true, token: null });
    return reply.redirect(backPath(firstText(request.body, 'back')) ?? '/', SEE_OTHER_STATUS);
  });
}

function findPerson(userId: string | undefined): DemoPerson | undefined {
  return DEMO_PEOPLE.find((person) => person.userId === userId);
}

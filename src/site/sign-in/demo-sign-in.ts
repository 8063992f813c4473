import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../domain/address.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { isFromOutside } from '../demo-request.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { avatar } from '../layout/avatar.ts';
import { type Html, html } from '../layout/html.ts';
import { csrfField, type Page, renderPage } from '../layout/page.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import { backPath } from '../paths.ts';
import { type Person, requirePerson, startSession } from '../session.ts';
import { signInMessages } from './messages.ts';
import type { AdminGuild, SignIn } from './sign-in.ts';

type DemoForm = { back: string; csrfToken: string };

function demoPage(locale: Locale, { back, csrfToken }: DemoForm): Page {
  const text = signInMessages[locale];
  return {
    title: text.title,
    styles: ['sign-in.css'],
    main: html`<div class="card stack demo-choice">
<h1>${text.title}</h1>
<p>${text.lead}</p>
<form class="stack" method="post" action="/sign-in">
${csrfField(csrfToken)}<input type="hidden" name="back" value="${back}">
${DEMO_PEOPLE.map((person) => personButton(person, text.roles[person.role]))}
</form>
<p class="muted demo-hint">${text.production}</p>
</div>`,
  };
}

function personButton({ userId, name }: DemoPerson, role: string): Html {
  return html`<button class="secondary demo-person" name="person" value="${userId}">
${avatar({ id: userId, name }, 'medium')}
<span class="demo-words"><strong>${name}</strong><span class="visually-hidden">, </span><span class="muted">${role}</span></span>
</button>`;
}

/** Lets anyone be one of three users. Only used with `serve --demo`, and only if `isOwnMachine`. */
export function demoSignIn(): SignIn {
  const signIn: SignIn = {
    isDemo: true,
    isConfigured: true,
    origin: null,
    routes(app) {
      app.register(async (pages) => {
        pages.addHook('onRequest', async (request) => requireOwnMachine(request));
        showRoute(pages, signIn);
        choiceRoute(pages);
      });
    },
    isMember: async (request, guildId) =>
      findPerson(requirePerson(request).userId)?.memberOf.includes(guildId) ?? false,
    verify: async (request) => void requirePerson(request),
    adminGuilds: async (request) => [...(findPerson(requirePerson(request).userId)?.guilds ?? [])],
  };
  return signIn;
}

/**
 * Any other host name means a request from another machine: through a tunnel, or from a page whose name points here.
 */
function requireOwnMachine(request: FastifyRequest): void {
  if (!isLoopbackHost(request.hostname)) throw new PageError('SIGN_IN_NOT_CONFIGURED');
  if (isFromOutside(request)) throw new PageError('DEMO_FROM_OUTSIDE');
}

function showRoute(app: FastifyInstance, signIn: SignIn): void {
  app.get('/sign-in', async (request, reply) => {
    const context = pageContext(request, reply, signIn);
    const back = backPath(firstText(request.query, 'back')) ?? '/';
    // Protected although the visitor is not signed in: otherwise any page could sign its visitors in as someone else.
    const page = demoPage(context.locale, { back, csrfToken: reply.generateCsrf() });
    return sendPage(reply, renderPage(context, page));
  });
}

function choiceRoute(app: FastifyInstance): void {
  app.post('/sign-in', { preHandler: app.csrfProtection }, async (request, reply): Promise<FastifyReply> => {
    const chosen = findPerson(firstText(request.body, 'person'));
    if (!chosen) throw new PageError('BAD_FORM');
    const profile = { userId: chosen.userId, name: chosen.name, avatar: null };
    await startSession(request, profile, { token: null });
    return reply.redirect(backPath(firstText(request.body, 'back')) ?? '/', SEE_OTHER_STATUS);
  });
}

function findPerson(userId: string | undefined): DemoPerson | undefined {
  return DEMO_PEOPLE.find((person) => person.userId === userId);
}

type DemoPerson = Person & {
  role: 'administrator' | 'member' | 'newcomer';
  guilds: readonly AdminGuild[];
  memberOf: readonly string[];
};

/** The guild created by `serve --demo`. */
const DEMO_GUILD: AdminGuild = { guildId: '100000000000000001', name: 'Demo Community' };
const UNLISTED_GUILD: AdminGuild = { guildId: '100000000000000002', name: 'Charlie’s Corner' };

const DEMO_MEMBER = [DEMO_GUILD.guildId];

/** One per role. None of them is among the sample voters, so each can vote immediately. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  {
    userId: '200000000000000101',
    name: 'Alex',
    role: 'administrator',
    guilds: [DEMO_GUILD],
    memberOf: DEMO_MEMBER,
  },
  { userId: '200000000000000102', name: 'Sam', role: 'member', guilds: [], memberOf: DEMO_MEMBER },
  {
    userId: '200000000000000103',
    name: 'Charlie',
    role: 'newcomer',
    guilds: [UNLISTED_GUILD],
    memberOf: [UNLISTED_GUILD.guildId],
  },
];

/** Alex is also an operator. */
export const DEMO_OPERATORS: readonly string[] = ['200000000000000101'];

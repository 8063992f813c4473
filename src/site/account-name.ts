/** The choice of a user to appear by name. Others are anonymous on leaderboards. */

import type { FastifyInstance } from 'fastify';
import { firstText } from '../domain/record.ts';
import { nameMessages } from './account-name-messages.ts';
import type { SiteDeps } from './deps.ts';
import { SEE_OTHER_STATUS } from './errors/page-error.ts';
import { type Content, html } from './layout/html.ts';
import { csrfField, type PageContext } from './layout/page.ts';
import { ownPath } from './paths.ts';
import { requirePerson } from './session.ts';

const NAME_PATH = '/account/name';

/** `POST /account/name` with `show=yes` or `show=no`. Users appear by name only if they agreed to it. */
export function nameRoute(app: FastifyInstance, { store, clock }: SiteDeps): void {
  const protection = {
    onRequest: async (...[request]: Parameters<typeof requirePerson>) => void requirePerson(request),
    preHandler: app.csrfProtection,
  };
  app.post(NAME_PATH, protection, async (request, reply) => {
    const { userId, name } = requirePerson(request);
    const isShown = firstText(request.body, 'show') === 'yes';
    const isKnown = await store.users.setShowName(userId, isShown);
    if (!isKnown && isShown) {
      // The session is older than the stored profiles.
      await store.users.remember({ userId, name, avatar: null }, clock());
      await store.users.setShowName(userId, true);
    }
    return reply.redirect(ownPath(firstText(request.body, 'back')), SEE_OTHER_STATUS);
  });
}

/** Before a vote, it is only shown to users who appear by name, so that they can withdraw. */
export function nameForm(context: PageContext, isShown: boolean): Content {
  const { person, csrfToken, locale, path } = context;
  if (person === null) return null;
  const text = nameMessages[locale];
  const name = html`<strong><bdi>${person.name}</bdi></strong>`;
  return html`<form class="vote-name" method="post" action="${NAME_PATH}">
${csrfField(csrfToken)}<input type="hidden" name="back" value="${path}"><input type="hidden" name="show" value="${isShown ? 'no' : 'yes'}">
<span class="muted small-text">${isShown ? text.nameShown(name) : text.nameHidden}</span>
<button class="quiet">${isShown ? text.hideName : text.showName}</button>
</form>`;
}

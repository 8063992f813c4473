/** `/privacy`: what is stored about visitors. docs/privacy.md has the details, for operators. */
import type { FastifyInstance } from 'fastify';
import type { SiteDeps } from '../deps.ts';
import { type Html, html } from '../layout/html.ts';
import { type PageContext, PRIVACY_PATH, renderPage } from '../layout/page.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import { privacyMessages } from './messages.ts';

export function privacyRoute(app: FastifyInstance, { signIn, keepVotesDays = null }: SiteDeps): void {
  app.get(PRIVACY_PATH, async (request, reply) => {
    const context = pageContext(request, reply, signIn);
    const { title, lead } = privacyMessages[context.locale];
    const description = lead(context.brand.name);
    const main = view(context, keepVotesDays);
    return sendPage(reply, renderPage(context, { title, description, main }));
  });
}

function view({ locale, brand }: PageContext, keptDays: number | null): Html {
  const text = privacyMessages[locale];
  const links = html`<p>${text.contact}</p><ul>${brand.links.map(({ label, url }) => html`<li><a href="${url}">${label}</a></li>`)}</ul>`;
  return html`<div class="card stack"><h1>${text.title}</h1><p class="muted">${text.lead(brand.name)}</p>
<div class="table-frame" tabindex="0" role="group" aria-label="${text.what}"><table class="stacked">
<thead><tr><th scope="col">${text.what}</th><th scope="col">${text.kept}</th></tr></thead>
<tbody>${text.rows(keptDays).map(([what, kept]) => html`<tr><td>${what}</td><td>${kept}</td></tr>`)}</tbody></table></div>
<p>${text.logs}</p>
<h2>${text.sharing}</h2><p>${text.sharingText}</p>
<h2>${text.rights}</h2><p>${text.rightsText}</p>${brand.links.length > 0 && links}</div>`;
}

/** What admins need to make their community known: a text, a picture, a badge, and its links. */
import type { FastifyInstance } from 'fastify';
import { type Guild, isActive } from '../../../domain/guild.ts';
import { votePath } from '../../../domain/votes/vote-link.ts';
import { copyButton } from '../../layout/copy-button.ts';
import { type Html, html } from '../../layout/html.ts';
import type { PageContext } from '../../layout/page.ts';
import { cardPath, profilePath } from '../../paths.ts';
import { voteButtonView } from '../../sharing/badge.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { sendTab } from '../frame.ts';
import { shareTabMessages } from './messages.ts';

export function shareRoute(app: FastifyInstance, deps: DashboardDeps): void {
  app.get('/share', async (request, reply) => {
    const { guild } = adminOf(request);
    return sendTab(request, reply, deps, {
      guild,
      tab: 'share',
      view: (context) => shareView(context, guild),
    });
  });
}

function shareView(context: PageContext, guild: Guild): Html {
  const { locale, origin } = context;
  const text = shareTabMessages[locale];
  if (!isActive(guild)) return html`<div class="card"><p class="muted">${text.sanctioned}</p></div>`;
  const [profile, vote] = [origin + profilePath(guild.guildId), origin + votePath(guild.guildId)];
  const card = cardPath(guild.guildId, locale);
  return html`<section class="card" aria-labelledby="announcement"><div class="stack"><h2 id="announcement">${text.announcement}</h2><p class="muted measure">${text.announcementHint}</p></div>
<pre class="announcement" tabindex="0" id="announcement-text" dir="auto">${text.announcementText(guild.name, profile, vote)}</pre>
<div>${copyButton(locale, 'announcement-text', text.copy)}</div></section>
<section class="card" aria-labelledby="card"><div class="stack"><h2 id="card">${text.card}</h2><p class="muted measure">${text.cardHint}</p></div>
<img class="share-card" src="${card}" alt="${text.cardAlt(guild.name)}" width="1200" height="630" loading="lazy">
<div><a class="button small secondary" href="${card}" download="${guild.guildId}.png">${text.download}</a></div></section>
${voteButtonView(locale, origin, guild)}
<section class="card" aria-labelledby="links"><h2 id="links">${text.links}</h2>
${linkLine(context, 'vote-address', text.voteLink, vote)}
${linkLine(context, 'profile-address', text.profileLink, profile)}</section>`;
}

function linkLine({ locale }: PageContext, id: string, name: string, address: string): Html {
  return html`<div class="row"><span class="muted">${name}</span> <code class="wrap" id="${id}">${address}</code> ${copyButton(locale, id, shareTabMessages[locale].copy)}</div>`;
}

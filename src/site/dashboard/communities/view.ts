import type { Guild } from '../../../domain/guild.ts';
import { type Html, html } from '../../html.ts';
import { avatar } from '../../layout/avatar.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import type { AdminGuild } from '../../sign-in/sign-in.ts';
import { communitiesMessages } from './messages.ts';

/** A community this person administers; `listed` is what we know of it ourselves, if anything. */
export type Community = { adminGuild: AdminGuild; listed: Guild | undefined };

export function communitiesView(context: PageContext, communities: readonly Community[]): Html {
  const text = communitiesMessages[context.locale];
  if (communities.length === 0) return emptyView(context);
  return html`<div class="stack"><h1>${text.title}</h1><p class="muted">${text.lead}</p></div>
<ul class="communities">${communities.map((community) => item(context, community))}</ul>`;
}

function emptyView({ locale }: PageContext): Html {
  const text = communitiesMessages[locale];
  return html`<h1>${text.title}</h1>
<div class="card center"><h2>${text.empty.title}</h2><p class="muted measure">${text.empty.text}</p>
<a class="button secondary" href="/">${text.empty.home}</a></div>`;
}

function item(context: PageContext, { adminGuild, listed }: Community): Html {
  const text = communitiesMessages[context.locale];
  const name = listed?.name ?? adminGuild.name;
  return html`<li class="card community">${avatar({ id: adminGuild.guildId, name }, 'medium')}
<div class="guild-title"><h2><bdi>${name}</bdi></h2>
${!listed && html`<span class="badge">${text.notListed}</span>`}${listed?.sanction && html`<span class="badge bad">${text.sanctioned}</span>`}</div>
${listed ? openLink(context, listed) : listForm(context, adminGuild)}</li>`;
}

function openLink({ locale }: PageContext, { guildId, name }: Guild): Html {
  const text = communitiesMessages[locale];
  return html`<a class="button small" href="/dashboard/${guildId}" aria-label="${text.openNamed(name)}">${text.open}</a>`;
}

function listForm({ locale, csrfToken }: PageContext, { guildId, name }: AdminGuild): Html {
  const text = communitiesMessages[locale];
  return html`<form method="post" action="/dashboard/${guildId}/list">${csrfField(csrfToken)}<button class="small secondary" aria-label="${text.listNamed(name)}">${text.list}</button></form>`;
}

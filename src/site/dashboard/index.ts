/**
 * The dashboard, where admins manage the key, votes, webhooks and settings of a community, and its first page, which
 * lists their communities. Everything under `/dashboard/:guild_id` is registered in one scope that authorizes
 * (access.ts), so no route can skip the check.
 */

import type { FastifyInstance } from 'fastify';
import type { Guild } from '../../domain/guild.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { avatar, guildIcon } from '../layout/avatar.ts';
import { type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext } from '../layout/page.ts';
import { pageContext } from '../layout/responses.ts';
import { requirePerson } from '../session.ts';
import type { AdminGuild } from '../sign-in/sign-in.ts';
import {
  authorizeAdmins,
  type DashboardDeps,
  findListedGuild,
  protectForms,
  requireAdminGuild,
} from './access.ts';
import { activityRoute } from './activity.ts';
import { sendDashboardPage, tabAddress } from './frame.ts';
import { keyRoutes } from './key/routes.ts';
import { type LiveDeps, liveRoute } from './live.ts';
import { LiveChannels } from './live-channels.ts';
import { communitiesMessages } from './messages.ts';
import { overviewRoute } from './overview/overview.ts';
import { bannerRoutes } from './settings/banner.ts';
import { consumerRoutes } from './settings/claims.ts';
import { goalRoutes } from './settings/goal.ts';
import { profileSettingsRoutes } from './settings/profile.ts';
import { rulesRoutes } from './settings/rules.ts';
import { settingsRoutes } from './settings/settings.ts';
import { voterRoleRoutes } from './settings/voter-role.ts';
import { shareRoute } from './share/share.ts';
import { csvRoute, releaseRoutes, votesRoute } from './votes/routes.ts';
import { isFailing } from './webhooks/endpoint-view.ts';
import { webhooksRoutes } from './webhooks/routes.ts';

export async function dashboard(app: FastifyInstance, site: SiteDeps): Promise<void> {
  const deps: LiveDeps = { ...site, live: new LiveChannels(site) };
  app.decorateRequest('admin', null);
  protectForms(app);
  communitiesRoutes(app, deps);
  app.register(
    async (community) => {
      authorizeAdmins(community, deps);
      overviewRoute(community, deps);
      shareRoute(community, deps);
      keyRoutes(community, deps);
      votesRoute(community, deps);
      csvRoute(community, deps);
      releaseRoutes(community, deps);
      webhooksRoutes(community, deps);
      settingsRoutes(community, deps);
      rulesRoutes(community, deps);
      goalRoutes(community, deps);
      consumerRoutes(community, deps);
      voterRoleRoutes(community, deps);
      profileSettingsRoutes(community, deps);
      community.register(bannerRoutes, deps);
      activityRoute(community, deps);
      liveRoute(community, deps);
    },
    { prefix: '/dashboard/:guild_id' },
  );
}

/**
 * `/dashboard`: the communities of the signed-in person. Listing one is outside the scope that authorizes, because the
 * community is not listed yet; `requireAdminGuild` checks the person.
 */
function communitiesRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, signIn } = deps;

  app.get('/dashboard', async (request, reply) => {
    requirePerson(request);
    const adminGuilds = await signIn.adminGuilds(request);
    const communities = await Promise.all(
      adminGuilds.map(async (adminGuild) => {
        const listed = await store.guilds.find(adminGuild.guildId);
        const endpoints = listed ? await deps.webhooks.listEndpoints(listed.guildId) : [];
        return { adminGuild, listed, hasFailingWebhook: endpoints.some(isFailing) };
      }),
    );
    const context = pageContext(request, reply, signIn);
    const { title } = communitiesMessages[context.locale];
    return sendDashboardPage(reply, context, { title, main: communitiesView(context, communities) });
  });

  app.post('/dashboard/:guild_id/list', async (request, reply) => {
    const { adminGuild, person } = await requireAdminGuild(request, deps);
    const { guildId } = adminGuild;
    if ((await findListedGuild(request, deps))?.sanction) throw new PageError('SANCTIONED');
    const at = clock();
    const isNew = await store.guilds.add({ guildId, name: adminGuild.name, createdAt: at });
    if (isNew) await store.activities.record({ guildId, at, actor: person, action: 'guild_listed' });
    const done = isNew ? '?done=listed' : '';
    return reply.redirect(tabAddress(guildId, 'overview') + done, SEE_OTHER_STATUS);
  });
}

/** A community this person administers; `listed` is our own record of it, if there is one. */
type Community = { adminGuild: AdminGuild; listed: Guild | undefined; hasFailingWebhook: boolean };

function communitiesView(context: PageContext, communities: readonly Community[]): Html {
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

function item(context: PageContext, { adminGuild, listed, hasFailingWebhook }: Community): Html {
  const text = communitiesMessages[context.locale];
  const name = listed?.name ?? adminGuild.name;
  return html`<li class="card community">${listed ? guildIcon(listed, 'medium') : avatar({ id: adminGuild.guildId, name }, 'medium')}
<div class="guild-title"><h2><bdi>${name}</bdi></h2>
${!listed && html`<span class="badge">${text.notListed}</span>`}${listed?.sanction && html`<span class="badge bad">${text.sanctioned}</span>`}
${hasFailingWebhook && html`<a class="badge bad" href="${tabAddress(adminGuild.guildId, 'webhooks')}">${text.failing}</a>`}</div>
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

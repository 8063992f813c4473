/**
 * The dashboard, where admins manage the key, votes, webhooks and settings of a community. Everything under
 * `/dashboard/:guild_id` is registered in one scope that authorizes (access.ts), so no route can skip the check.
 */
import type { FastifyInstance } from 'fastify';
import type { SiteDeps } from '../deps.ts';
import { authorizeAdmins, protectForms } from './access.ts';
import { activityRoute } from './activity.ts';
import { communitiesRoutes } from './communities.ts';
import { keyRoutes } from './key/routes.ts';
import { LiveChannels, type LiveDeps, liveRoute } from './live.ts';
import { overviewRoute } from './overview/overview.ts';
import { profileSettingsRoutes } from './settings/profile.ts';
import { rulesRoutes } from './settings/rules.ts';
import { settingsRoutes } from './settings/settings.ts';
import { csvRoute, releaseRoutes, votesRoute } from './votes/routes.ts';
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
      keyRoutes(community, deps);
      votesRoute(community, deps);
      csvRoute(community, deps);
      releaseRoutes(community, deps);
      webhooksRoutes(community, deps);
      settingsRoutes(community, deps);
      rulesRoutes(community, deps);
      profileSettingsRoutes(community, deps);
      activityRoute(community, deps);
      liveRoute(community, deps);
    },
    { prefix: '/dashboard/:guild_id' },
  );
}

import type { FastifyInstance } from 'fastify';
import { pageContext } from '../../context.ts';
import { SEE_OTHER_STATUS } from '../../page-error.ts';
import { requirePerson } from '../../sign-in/require-person.ts';
import { requireAdminGuild } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendDashboardPage, tabAddress } from '../frame.ts';
import { listedName } from './listed-name.ts';
import { communitiesMessages } from './messages.ts';
import { communitiesView } from './view.ts';

/** `/dashboard`: the communities of this person, and one click to list another. */
export function communitiesRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, signIn } = deps;

  app.get('/dashboard', async (request, reply) => {
    requirePerson(request);
    const adminGuilds = await signIn.adminGuilds(request);
    const communities = await Promise.all(
      adminGuilds.map(async (adminGuild) => ({
        adminGuild,
        listed: await store.guilds.find(adminGuild.guildId),
      })),
    );
    const context = pageContext(request, reply, signIn);
    const { title } = communitiesMessages[context.locale];
    return sendDashboardPage(reply, context, { title, main: communitiesView(context, communities) });
  });

  app.post('/dashboard/:guild_id/list', async (request, reply) => {
    const { adminGuild, person } = await requireAdminGuild(request, deps);
    const { guildId } = adminGuild;
    const at = clock();
    const isNew = await store.guilds.add({
      guildId,
      name: listedName(adminGuild.name, guildId),
      createdAt: at,
    });
    if (isNew) await store.activities.record({ guildId, at, actor: person, action: 'guild_listed' });
    const done = isNew ? '?done=listed' : '';
    return reply.redirect(tabAddress(guildId, 'overview') + done, SEE_OTHER_STATUS);
  });
}

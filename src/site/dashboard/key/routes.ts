import type { FastifyInstance } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import { issueKey } from '../../../store/keys.ts';
import { SEE_OTHER_STATUS } from '../../page-error.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab, tabAddress } from '../frame.ts';
import { leadToTab } from '../lead-to-tab.ts';
import { countAction } from '../limits.ts';
import { confirmView } from './confirm-view.ts';
import { readKeyState, versionOf } from './key-state.ts';
import { sendKeyTab } from './send-key-tab.ts';

/** "Developer & API". The key itself is only ever in the answer to a POST, which nothing keeps. */
export function keyRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, secrets } = deps;

  app.get('/dashboard/:guild_id/key', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const state = await readKeyState(deps, guild.guildId, { isShown: false });
    return sendKeyTab(request, reply, deps, guild, state);
  });

  app.post('/dashboard/:guild_id/key/reveal', { config: { changes: false } }, async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_REVEALS');
    const state = await readKeyState(deps, guildId, { isShown: true });
    // Recorded before it is shown: a key that was seen is always in the log.
    if (state.kind === 'shown')
      await store.activities.record({ guildId, at: clock(), actor: person, action: 'key_shown' });
    return sendKeyTab(request, reply, deps, guild, state);
  });

  leadToTab(app, deps, '/dashboard/:guild_id/key/reveal', 'key');

  app.get('/dashboard/:guild_id/key/regenerate', { config: { changes: true } }, async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const state = await readKeyState(deps, guild.guildId, { isShown: false });
    if (state.kind === 'none') return reply.redirect(tabAddress(guild.guildId, 'key'), SEE_OTHER_STATUS);
    const view = confirmView(guild.guildId, state.version);
    return sendTab(request, reply, deps, { guild, tab: 'key', view });
  });

  app.post('/dashboard/:guild_id/key/new', async (request, reply) => {
    const { guild, person } = await requireAdmin(request, deps);
    const { guildId } = guild;
    const meant = firstText(request.body, 'replaces') ?? '';
    const present = versionOf(await store.guilds.findKey(guildId));
    const address = tabAddress(guildId, 'key');
    if (meant !== present) return reply.redirect(`${address}?done=key-kept`, SEE_OTHER_STATUS);
    const at = clock();
    // Recorded first: should the process end in between, no key was made that the log does not know of.
    await store.activities.record({ guildId, at, actor: person, action: 'key_generated' });
    await issueKey(store, secrets, guildId, at);
    const done = present === '' ? 'key-made' : 'key-replaced';
    return reply.redirect(`${address}?done=${done}`, SEE_OTHER_STATUS);
  });
}

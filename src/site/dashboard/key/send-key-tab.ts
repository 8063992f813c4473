import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import type { Guild } from '../../../domain/guild.ts';
import { html } from '../../html.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { siteAddress } from './addresses.ts';
import type { KeyState } from './key-state.ts';
import { linksView } from './links-view.ts';
import { keyView } from './view.ts';

export async function sendKeyTab(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  guild: Guild,
  state: KeyState,
): Promise<FastifyReply> {
  const { guildId } = guild;
  const site = siteAddress(request, deps.publicUrl);
  const [lastVote] = await deps.store.votes.recent(guildId, null, null, 1);
  const externalId = firstText(request.query, 'external_id') ?? '';
  return sendTab(request, reply, deps, {
    guild,
    tab: 'key',
    view: (context) => html`${keyView(context, { guildId, site, state, lastVote })}
${linksView(context.locale, { guildId, site, externalId })}`,
    scripts: ['dashboard.js'],
  });
}

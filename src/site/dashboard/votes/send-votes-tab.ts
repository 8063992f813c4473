import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Guild } from '../../../domain/guild.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { type GivenDays, type PeriodFault, suggestedDays } from './csv-period.ts';
import { readTurn, readVotePage } from './paging.ts';
import { readUserFilter } from './user-filter.ts';
import { votesView } from './view.ts';

/** `days` and `fault` come back with a download that could not be made. */
export async function sendVotesTab(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  guild: Guild,
  download?: { days: GivenDays; fault: PeriodFault },
): Promise<FastifyReply> {
  const { guildId } = guild;
  const filter = readUserFilter(request.query);
  const page = await readVotePage(deps.store.votes, guildId, filter.userId, readTurn(request.query));
  const days = download?.days ?? suggestedDays(deps.clock());
  return sendTab(request, reply, deps, {
    guild,
    tab: 'votes',
    view: ({ locale }) =>
      votesView(locale, { guildId, filter, page, download: { days, fault: download?.fault ?? null } }),
  });
}

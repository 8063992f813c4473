import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstText } from '../../../domain/first-text.ts';
import type { Guild } from '../../../domain/guild.ts';
import { isSnowflake } from '../../../domain/identifiers.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { type GivenDays, type PeriodFault, suggestedDays } from './csv-period.ts';
import { readTurn, readVotePage } from './paging.ts';
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
  const user = (firstText(request.query, 'user') ?? '').trim();
  const filter = { user, isWrong: user !== '' && !isSnowflake(user) };
  const userId = user === '' || filter.isWrong ? null : user;
  const page = await readVotePage(deps.store.votes, guildId, userId, readTurn(request.query));
  const days = download?.days ?? suggestedDays(deps.clock());
  return sendTab(request, reply, deps, {
    guild,
    tab: 'votes',
    view: ({ locale }) =>
      votesView(locale, { guildId, filter, page, download: { days, fault: download?.fault ?? null } }),
  });
}

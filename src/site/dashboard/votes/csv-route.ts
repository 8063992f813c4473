import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/clock.ts';
import { firstText } from '../../../domain/first-text.ts';
import type { Period } from '../../../domain/period.ts';
import { exportVotes } from '../../../store/export-votes.ts';
import { PAGE_STATUS } from '../../page-error.ts';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { voteCsv } from './csv.ts';
import { csvPeriod } from './csv-period.ts';
import { sendVotesTab } from './send-votes-tab.ts';
import { readUserFilter } from './user-filter.ts';

/** `/dashboard/<guild_id>/votes.csv?from=&to=&user=`: streamed, so that a month of any size costs little memory. */
export function csvRoute(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;
  app.get('/dashboard/:guild_id/votes.csv', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const given = { from: firstText(request.query, 'from') ?? '', to: firstText(request.query, 'to') ?? '' };
    const { userId, isWrong } = readUserFilter(request.query);
    // Everybody's votes in place of one user's would be taken for that user's.
    if (isWrong) return sendVotesTab(request, reply.code(PAGE_STATUS.BAD_FORM), deps, guild);
    const period = csvPeriod(given, clock());
    if ('fault' in period) {
      reply.code(PAGE_STATUS.BAD_FORM);
      return sendVotesTab(request, reply, deps, guild, { days: given, fault: period.fault });
    }
    return reply
      .type('text/csv; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${fileName(guild.guildId, userId, period)}"`)
      .send(Readable.from(voteCsv(exportVotes(store.votes.page, guild.guildId, period, userId))));
  });
}

/** Named by whose votes are inside, and by the first and the last day. */
function fileName(guildId: string, userId: string | null, { from, to }: Period): string {
  const day = (instant: number) => formatInstant(instant).slice(0, 10);
  const whose = userId === null ? guildId : `${guildId}-${userId}`;
  return `votes-${whose}-${day(from)}-to-${day(to - 1)}.csv`;
}

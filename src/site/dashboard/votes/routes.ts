import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatInstant } from '../../../domain/clock.ts';
import type { Guild } from '../../../domain/guild.ts';
import { firstText } from '../../../domain/text.ts';
import type { Period } from '../../../domain/votes/period.ts';
import { exportVotes } from '../../../store/shared/paging.ts';
import { PAGE_STATUS, PageError } from '../../errors/page-error.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { sendTab } from '../frame.ts';
import { csvPeriod, type GivenDays, type PeriodFault, suggestedDays, voteCsv } from './csv.ts';
import { readTurn, readUserFilter, readVotePage } from './paging.ts';
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

export function votesRoute(app: FastifyInstance, deps: DashboardDeps): void {
  app.get('/votes', async (request, reply) => {
    const { guild } = adminOf(request);
    return sendVotesTab(request, reply, deps, guild);
  });
}

const RETRY_AFTER_SECONDS = 10;

/**
 * `/dashboard/<guild_id>/votes.csv?from=&to=&user=`: streamed, so that a month of any size costs little memory. Reading
 * it takes seconds of the processor, so each person has one download at a time.
 */
export function csvRoute(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;
  const downloading = new Set<string>();

  /** The person may start the next one when the stream is closed: at its end, or when the client has gone. */
  function startDownload(userId: string, lines: AsyncIterable<string>): Readable {
    const stream = Readable.from(lines);
    downloading.add(userId);
    stream.once('close', () => downloading.delete(userId));
    return stream;
  }

  app.get('/votes.csv', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const given = { from: firstText(request.query, 'from') ?? '', to: firstText(request.query, 'to') ?? '' };
    const { userId, isWrong } = readUserFilter(request.query);
    // Everybody's votes in place of one user's would be taken for that user's.
    if (isWrong) return sendVotesTab(request, reply.code(PAGE_STATUS.BAD_FORM), deps, guild);
    const period = csvPeriod(given, clock());
    if ('fault' in period) {
      reply.code(PAGE_STATUS.BAD_FORM);
      return sendVotesTab(request, reply, deps, guild, { days: given, fault: period.fault });
    }
    if (downloading.has(person.userId)) {
      reply.header('retry-after', RETRY_AFTER_SECONDS);
      throw new PageError('DOWNLOAD_RUNNING');
    }
    reply
      .type('text/csv; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${fileName(guild.guildId, userId, period)}"`);
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    const votes = exportVotes(store.votes.page, guild.guildId, period, userId);
    return reply.send(startDownload(person.userId, voteCsv(votes)));
  });
}

/** Named by whose votes are inside, and by the first and the last day. */
function fileName(guildId: string, userId: string | null, { from, to }: Period): string {
  const day = (instant: number) => formatInstant(instant).slice(0, 10);
  const whose = userId === null ? guildId : `${guildId}-${userId}`;
  return `votes-${whose}-${day(from)}-to-${day(to - 1)}.csv`;
}

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatDate, formatInstant } from '../../../domain/clock.ts';
import type { Guild } from '../../../domain/guild.ts';
import { firstText } from '../../../domain/record.ts';
import { DEFAULT_CONSUMER } from '../../../domain/votes/consumers.ts';
import { type Period, type PeriodFault, parseIsoDate } from '../../../domain/votes/period.ts';
import { type ClaimableVote, voteId } from '../../../domain/votes/vote.ts';
import { PAGE_STATUS, PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { html } from '../../layout/html.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { type Notice, sendTab, tabAddress } from '../frame.ts';
import { type LiveDeps, liveSource } from '../live.ts';
import {
  csvPeriod,
  exportClaimable,
  type GivenDays,
  readPageRequest,
  readPosition,
  readVotePage,
  readVotesFilter,
  suggestedDays,
  type VotesOf,
} from './paging.ts';
import { claimsOf, confirmReleaseView, votesView } from './view.ts';

/** `download` is set after an invalid download request. */
async function sendVotesTab(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: LiveDeps,
  guild: Guild,
  download?: { days: GivenDays; fault: PeriodFault },
): Promise<FastifyReply> {
  const { guildId } = guild;
  const filter = readVotesFilter(request.query);
  const liveState = await deps.live.stateOf(guildId, 'votes');
  const page = await readVotePage(deps.store, guildId, filter.of, readPageRequest(request.query));
  const people = await deps.store.users.find([filter.user, ...page.votes.map(({ userId }) => userId)]);
  const days = download?.days ?? suggestedDays(deps.clock());
  return sendTab(request, reply, deps, {
    guild,
    tab: 'votes',
    view: (context) =>
      html`${votesView(context, { guildId, filter, page, people, download: { days, fault: download?.fault ?? null } })}
${page.newer === null && !download && liveSource(context.locale, guildId, 'votes', liveState)}`,
    scripts: ['dashboard/live.js'],
  });
}

export function votesRoute(app: FastifyInstance, deps: LiveDeps): void {
  app.get('/votes', async (request, reply) => {
    const { guild } = adminOf(request);
    return sendVotesTab(request, reply, deps, guild);
  });
}

/** Releases a claim whose reward was not delivered: a confirmation page and its form. */
export function releaseRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;

  app.get('/votes/release', { config: { changes: true } }, async (request, reply) => {
    const { guild } = adminOf(request);
    const { guildId } = guild;
    const vote = readPosition(firstText(request.query, 'vote'));
    const consumer = firstText(request.query, 'consumer') ?? DEFAULT_CONSUMER;
    const [times] = vote ? await store.claims.claimTimes(guildId, [vote]) : [];
    const claim = times && claimsOf(times).find((one) => one.consumer === consumer);
    if (!vote || !claim) return reply.redirect(noticeAddress(guildId, 'claim-kept'), SEE_OTHER_STATUS);
    const people = await store.users.find([vote.userId]);
    const view = confirmReleaseView(vote, claim, guildId, people);
    return sendTab(request, reply, deps, { guild, tab: 'votes', view });
  });

  app.post('/votes/release', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const vote = readPosition(firstText(request.body, 'vote'));
    const claimedAt = parseIsoDate(firstText(request.body, 'claimed_at') ?? '');
    if (!vote || claimedAt === undefined) throw new PageError('BAD_FORM');
    const consumer = firstText(request.body, 'consumer') ?? DEFAULT_CONSUMER;
    const id = voteId({ guildId, ...vote });
    const isReleased = await store.claims.release({ guildId, consumer, voteId: id, claimedAt });
    if (isReleased) {
      const named = consumer === DEFAULT_CONSUMER ? {} : { consumer };
      const detail = { vote: { id, castAt: vote.castAt }, ...named };
      await store.activities.record({
        guildId,
        at: clock(),
        actor: person,
        action: 'claim_released',
        detail,
      });
    }
    const notice = isReleased ? 'claim-released' : 'claim-kept';
    return reply.redirect(noticeAddress(guildId, notice), SEE_OTHER_STATUS);
  });
}

function noticeAddress(guildId: string, notice: Notice): string {
  return `${tabAddress(guildId, 'votes')}?done=${notice}`;
}

const RETRY_AFTER_SECONDS = 10;

/**
 * `/dashboard/<guild_id>/votes.csv?from=&to=`, filtered like the tab. Streamed, so a month of any size uses little
 * memory. Reading it takes seconds of CPU time, so each person has one download at a time.
 */
export function csvRoute(app: FastifyInstance, deps: LiveDeps): void {
  const { store, clock } = deps;
  const downloading = new Set<string>();

  /** The slot is released when the stream closes: at its end, or when the client disconnects. */
  function startDownload(userId: string, lines: AsyncIterable<string>): Readable {
    const stream = Readable.from(lines);
    downloading.add(userId);
    stream.once('close', () => downloading.delete(userId));
    return stream;
  }

  app.get('/votes.csv', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const given = { from: firstText(request.query, 'from') ?? '', to: firstText(request.query, 'to') ?? '' };
    const { of, fault } = readVotesFilter(request.query);
    // Returning all votes for an invalid filter could be mistaken for the votes of one user.
    if (fault !== null) return sendVotesTab(request, reply.code(PAGE_STATUS.BAD_FORM), deps, guild);
    const outcome = csvPeriod(given, clock());
    if (outcome.kind === 'invalid') {
      reply.code(PAGE_STATUS.BAD_FORM);
      return sendVotesTab(request, reply, deps, guild, { days: given, fault: outcome.fault });
    }
    const { period } = outcome;
    if (downloading.has(person.userId)) {
      reply.header('retry-after', RETRY_AFTER_SECONDS);
      throw new PageError('DOWNLOAD_RUNNING');
    }
    reply
      .type('text/csv; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${fileName(guild.guildId, of, period)}"`);
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    const votes = exportClaimable(store, guild.guildId, period, of);
    return reply.send(startDownload(person.userId, voteCsv(votes)));
  });
}

/** Named after the user and the first and last day. A name may contain characters that are invalid in file names. */
function fileName(guildId: string, of: VotesOf, { from, to }: Period): string {
  const whose = of === null ? guildId : `${guildId}-${'userId' in of ? of.userId : 'by-name'}`;
  return `votes-${whose}-${formatDate(from)}-to-${formatDate(to - 1)}.csv`;
}

/**
 * Without this byte order mark Excel reads UTF-8 as Windows-1252 and garbles accented names. Other CSV readers skip
 * it: pandas, LibreOffice, Google Sheets, most languages ("utf-8-sig").
 */
const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';
const COLUMNS = ['timestamp', 'user_id', 'is_doubled', 'external_id', 'claimed_at'];

/**
 * Spreadsheets run a cell that starts like this as a formula. They may split lines at a character other than the comma
 * (French Excel: the semicolon) and drop a quote at the start of a cell.
 */
const FORMULA_START = /(?<=^|[;,\t\r\n])(?=[\t\r]|(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠])|^(?=\n)/g;
const NEEDS_QUOTES = /[",\r\n]/;

/** Large enough to keep the stream busy, small enough to hold in memory. */
const LINES_PER_CHUNK = 500;

/** RFC 4180, UTF-8. */
export async function* voteCsv(votes: AsyncIterable<ClaimableVote>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + lineOf(COLUMNS);
  let lines: string[] = [];
  for await (const vote of votes) {
    const claimedAt = vote.claimedAt === null ? '' : formatInstant(vote.claimedAt);
    const { castAt, userId, isDoubled, externalId } = vote;
    lines.push(lineOf([formatInstant(castAt), userId, String(isDoubled), externalId ?? '', claimedAt]));
    if (lines.length < LINES_PER_CHUNK) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

function lineOf(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

/** An external id is untrusted text. The apostrophe makes spreadsheets show it as text. */
export function csvCell(text: string): string {
  const harmless = text.replace(FORMULA_START, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

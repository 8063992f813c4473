/** The feed: votes in the order they were accepted. A request can wait for the next vote. */
import type { FastifyReply } from 'fastify';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { epochOf, type FeedHistory, type FeedPosition, isContinued } from '../../domain/votes/feed.ts';
import { MAX_PERIOD_MS, parseIsoDate } from '../../domain/votes/period.ts';
import type { FeedWaiters } from '../../store/announce.ts';
import type { FeedRead, FeedStore, FeedVote } from '../../store/votes.ts';
import type { OperationId } from '../openapi/operations.ts';
import { FeedPage, FeedQuery } from '../schemas/claims.ts';
import { callerGuild, requireKeyAgain, type V7Deps, type V7Instance } from './access.ts';
import { toVoteEntry } from './claims.ts';
import { openCursor, sealCursor } from './parameters.ts';

export const FEED_PATH = '/guild/feed';

export function feedRoute(app: V7Instance, deps: V7Deps, waiters: FeedWaiters): void {
  const { store, secrets } = deps;
  const operationId: OperationId = 'readFeed';
  const schema = { operationId, querystring: FeedQuery, response: { 200: FeedPage } };
  app.get(FEED_PATH, { schema }, async (request, reply): Promise<FeedPage> => {
    const { guildId } = callerGuild(request);
    const { limit, wait } = request.query;
    const scope = ['feed', guildId];
    const position = await startOf(request.query, guildId, scope, deps);
    const authorize = () => requireKeyAgain(request, store);
    const reader = { feed: store.feed, waiters, guildId, position, limit: limit + 1, authorize };
    const found = await readOrWait(reader, wait * SECOND_MS, wait > 0 ? disconnectSignal(reply) : null);
    const page = found.votes.slice(0, limit);
    const next = positionAfter(page.at(-1), position, found.history);
    return {
      ok: true,
      guild_id: guildId,
      votes: page.map(toVoteEntry),
      next_cursor: writeCursor(next, scope, secrets.cursorKey),
      has_more: found.votes.length > limit,
    };
  });
}

async function startOf(
  query: FeedQuery,
  guildId: string,
  scope: readonly string[],
  { store, clock, secrets }: V7Deps,
): Promise<FeedPosition> {
  const from = query.from ? readFrom(query.from, clock()) : undefined;
  if (query.cursor) return readCursor(openCursor(query.cursor, scope, secrets.cursorKey), from);
  const seq =
    from === undefined
      ? ((await store.feed.heads([guildId])).get(guildId) ?? 0)
      : await store.feed.startAt(guildId, from);
  return { seq, from: from ?? 0, epoch: 0, castAt: null };
}

/** After the last vote of a page; where the reader was if the page is empty. */
function positionAfter(
  last: FeedVote | undefined,
  { seq, from, castAt }: FeedPosition,
  history: FeedHistory,
): FeedPosition {
  const vote = last ?? { seq, castAt: castAt ?? history.castAt };
  return { seq: vote.seq, from, epoch: epochOf(vote.seq, history), castAt: vote.castAt };
}

function readFrom(text: string, now: Instant): Instant {
  const from = parseIsoDate(text);
  if (from === undefined) throw new ApiError('INVALID_DATE');
  if (from > now) throw ApiError.because('from_in_future');
  if (now - from > MAX_PERIOD_MS) throw new ApiError('DATE_RANGE_TOO_LARGE');
  return from;
}

/** The last field is empty if there is no vote with the number of the position. */
function writeCursor(position: FeedPosition, scope: readonly string[], key: Buffer): string {
  const { seq, from, epoch, castAt } = position;
  return sealCursor([seq, from, epoch, castAt ?? ''], scope, key);
}

/**
 * Cursors of earlier versions end after the first two fields. `from` is for the first page: with a cursor it may only
 * repeat the start of that page.
 */
function readCursor(fields: string[] | undefined, given: Instant | undefined): FeedPosition {
  if (!fields) throw ApiError.because('feed_cursor');
  const [seq, from, epoch = '0', castAt = ''] = fields;
  if (given !== undefined && given !== Number(from)) throw ApiError.because('feed_cursor');
  return {
    seq: Number(seq),
    from: Number(from),
    epoch: Number(epoch),
    castAt: castAt === '' ? null : Number(castAt),
  };
}

type Reader = {
  feed: FeedStore;
  waiters: FeedWaiters;
  guildId: string;
  position: FeedPosition;
  limit: number;
  /** Called whenever the request has waited, after votes were read. Throws if the key is no longer valid. */
  authorize(): Promise<void>;
};

/**
 * Aborts when the client disconnects. `request.signal` does not: a request without a body is complete immediately.
 */
function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

async function readOrWait(reader: Reader, waitMs: number, signal: AbortSignal | null): Promise<FeedRead> {
  const { feed, waiters, guildId, position, limit, authorize } = reader;
  const waiting = waiters.startWaiting(waitMs);
  for (let hasWaited = false; ; hasWaited = true) {
    const found = await feed.read(guildId, position.seq, position.from, limit);
    if (hasWaited) await authorize();
    if (!isContinued(position, found.history)) throw ApiError.because('feed_restored');
    const ms = waiting.msLeft;
    if (found.votes.length > 0 || ms <= 0 || !signal || signal.aborted || waiters.isClosed) return found;
    await waiters.wait({ guildId, afterSeq: position.seq, ms, signal });
  }
}

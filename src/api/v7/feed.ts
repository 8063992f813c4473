import type { FastifyReply } from 'fastify';
import { type Clock, formatInstant, type Instant, SECOND_MS } from '../../domain/clock.ts';
import { ApiError } from '../../domain/errors.ts';
import { openCursor, sealCursor } from '../../domain/votes/cursor.ts';
import { MAX_PERIOD_MS, parseIsoDate } from '../../domain/votes/period.ts';
import { voteId } from '../../domain/votes/vote.ts';
import type { FeedWaiters } from '../../store/announce.ts';
import type { FeedStore, FeedVote } from '../../store/votes.ts';
import type { OperationId } from '../openapi/operations.ts';
import { FeedPage, FeedQuery } from '../schemas/claims.ts';
import type { V7Deps, V7Instance } from './access.ts';
import { callerGuild } from './access.ts';

export const FEED_PATH = '/guild/feed';

/** The position of a reader: after this vote, and not before this time. */
type FeedPosition = { seq: number; from: Instant };

export function feedRoute(app: V7Instance, { store, clock, secrets }: V7Deps, waiters: FeedWaiters): void {
  const operationId: OperationId = 'readFeed';
  const schema = { operationId, querystring: FeedQuery, response: { 200: FeedPage } };
  app.get(FEED_PATH, { schema }, async (request, reply): Promise<FeedPage> => {
    const { guildId } = callerGuild(request);
    const { limit, wait } = request.query;
    const scope = ['feed', guildId];
    const position = await startOf(request.query, {
      guildId,
      scope,
      key: secrets.cursorKey,
      clock,
      feed: store.feed,
    });
    const reader = { feed: store.feed, waiters, guildId, position, limit: limit + 1 };
    const found = await readOrWait(reader, wait * SECOND_MS, wait > 0 ? disconnectSignal(reply) : null);
    const page = found.slice(0, limit);
    const seq = page.at(-1)?.seq ?? position.seq;
    return {
      ok: true,
      guild_id: guildId,
      votes: page.map(toEntry),
      next_cursor: sealCursor([seq, position.from], scope, secrets.cursorKey),
      has_more: found.length > limit,
    };
  });
}

type Start = { guildId: string; scope: string[]; key: Buffer; clock: Clock; feed: FeedStore };

async function startOf(query: FeedQuery, { guildId, scope, key, clock, feed }: Start): Promise<FeedPosition> {
  const from = query.from ? readFrom(query.from, clock()) : undefined;
  if (query.cursor) return readCursor(openCursor(query.cursor, scope, key), from);
  if (from !== undefined) return { seq: await feed.startAt(guildId, from), from };
  return { seq: (await feed.heads([guildId])).get(guildId) ?? 0, from: 0 };
}

function readFrom(text: string, now: Instant): Instant {
  const from = parseIsoDate(text);
  if (from === undefined) throw new ApiError('INVALID_DATE');
  if (from > now) throw new ApiError('INVALID_DATE_RANGE');
  if (now - from > MAX_PERIOD_MS) throw new ApiError('DATE_RANGE_TOO_LARGE');
  return from;
}

/** `from` is for the first page. With a cursor it may only repeat the start of that page. */
function readCursor(fields: string[] | undefined, from: Instant | undefined): FeedPosition {
  if (!fields) throw new ApiError('INVALID_CURSOR');
  const position = { seq: Number(fields[0]), from: Number(fields[1]) };
  if (from !== undefined && from !== position.from) throw new ApiError('INVALID_CURSOR');
  return position;
}

type Reader = {
  feed: FeedStore;
  waiters: FeedWaiters;
  guildId: string;
  position: FeedPosition;
  limit: number;
};

/**
 * Aborts when the client disconnects. `request.signal` does not: a request without a body is complete immediately.
 */
function disconnectSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

async function readOrWait(reader: Reader, waitMs: number, signal: AbortSignal | null): Promise<FeedVote[]> {
  const { feed, waiters, guildId, position, limit } = reader;
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await feed.read(guildId, position.seq, position.from, limit);
    const ms = deadline - performance.now();
    if (found.length > 0 || ms <= 0 || !signal || signal.aborted || waiters.isClosed) return found;
    await waiters.wait({ guildId, afterSeq: position.seq, ms, signal });
  }
}

function toEntry(vote: FeedVote): FeedPage['votes'][number] {
  return {
    vote_id: voteId(vote),
    user_id: vote.userId,
    external_id: vote.externalId,
    timestamp: formatInstant(vote.castAt),
    is_doubled: vote.isDoubled,
  };
}

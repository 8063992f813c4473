/** `GET /guild/feed`: votes in the order they were accepted. A request can wait for the next vote. */
import type { FastifyReply } from 'fastify';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { epochOf, type FeedHistory, type FeedPosition, isContinued } from '../../domain/votes/feed.ts';
import { MAX_PERIOD_MS, parseIsoDate } from '../../domain/votes/period.ts';
import type { FeedWaiters } from '../../store/announce.ts';
import type { FeedRead, FeedStore, FeedVote as StoredVote } from '../../store/votes/feed.ts';
import { ApiError } from '../errors/api-error.ts';
import { EXAMPLE, type Operation, WITH_KEY } from '../openapi/operation.ts';
import { callerGuild, requireKeyAgain } from './access.ts';
import { openCursor, sealCursor } from './cursor.ts';
import { type Endpoint, type EndpointDeps, READ } from './endpoint.ts';
import { GuildId, LimitParameter, Ok } from './fields.ts';
import { EXAMPLE_VOTE, FeedVote, toIdentifiedVote } from './identified-vote.ts';
import { object, query, type Static } from './schema.ts';

const PATH = '/guild/feed';

const MAX_WAIT_SECONDS = 30;

const FeedQuery = query({
  cursor: {
    type: 'string',
    description:
      '`next_cursor` of the previous page, unchanged. Without it, the feed starts at `from`, or now. `INVALID_CURSOR` says why a cursor cannot be continued: start again with `from`.',
  },
  from: {
    type: 'string',
    description:
      'Where the feed starts if there is no cursor: an ISO 8601 date or date-time, at most 31 days ago.',
  },
  limit: LimitParameter,
  wait: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description: 'If there are no new votes, wait up to this many seconds for one before responding.',
  },
});

type FeedQuery = Static<typeof FeedQuery>;

const FeedPage = object('FeedPage', {
  ok: Ok,
  guild_id: GuildId,
  votes: { type: 'array', items: FeedVote, description: 'Votes in the order they were accepted.' },
  next_cursor: {
    type: 'string',
    description:
      'Never `null`. Store it and send it as `cursor`: the next page continues after the last vote of this one.',
  },
  has_more: { type: 'boolean', description: 'Whether more votes are available now.' },
});

type FeedPage = Static<typeof FeedPage>;

const example: FeedPage = {
  ok: true,
  guild_id: EXAMPLE.guildId,
  votes: [EXAMPLE_VOTE],
  next_cursor: 'NDIuMA.Bx_8',
  has_more: false,
};

const operation: Operation = {
  operationId: 'readFeed',
  tag: 'Claims',
  needsKey: true,
  summary: 'Follow new votes',
  description:
    'Returns new votes in the order they were accepted. Store `next_cursor` and send it as `cursor` with the next request: every vote is returned exactly once. ' +
    'With `wait`, the response is delayed until a vote arrives, so you need neither short polling intervals nor an open port. Imported votes are not included.',
  success: 'The next votes, and the cursor to continue with.',
  examples: { page: { summary: 'One new vote', value: example } },
  codes: ['INVALID_DATE', 'INVALID_DATE_RANGE', 'DATE_RANGE_TOO_LARGE', 'INVALID_CURSOR', ...WITH_KEY],
  fault: { field: 'wait', rule: 'max', bound: MAX_WAIT_SECONDS },
};

const schema = { operation, querystring: FeedQuery, response: { 200: FeedPage } };

export const feed: Endpoint = {
  path: PATH,
  methods: READ,
  register: (app, deps) => {
    const { store, secrets, feedWaiters: waiters } = deps;
    app.get(PATH, { schema }, async (request, reply): Promise<FeedPage> => {
      const { guildId } = callerGuild(request);
      const { limit, wait } = request.query;
      const scope = ['feed', guildId];
      const position = await startOf(request.query, guildId, scope, deps);
      const authorize = () => requireKeyAgain(request, store);
      const reader = { feed: store.feed, waiters, guildId, position, limit: limit + 1, authorize };
      const found = await readOrWait(reader, wait * SECOND_MS, wait > 0 ? disconnectSignal(reply) : null);
      const page = found.votes.slice(0, limit);
      const totals = await store.votes.totalsOf(page);
      const next = positionAfter(page.at(-1), position, found.history);
      return {
        ok: true,
        guild_id: guildId,
        votes: page.map((vote, i) => toIdentifiedVote(vote, totals[i])),
        next_cursor: writeCursor(next, scope, secrets.cursorKey),
        has_more: found.votes.length > limit,
      };
    });
  },
};

async function startOf(
  query: FeedQuery,
  guildId: string,
  scope: readonly string[],
  { store, clock, secrets }: EndpointDeps,
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
  last: StoredVote | undefined,
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
    if (!isContinued(position, found.history)) throw ApiError.because('feed_votes_missing');
    const ms = waiting.msLeft;
    if (found.votes.length > 0 || ms <= 0 || !signal || signal.aborted || waiters.isClosed) return found;
    await waiters.wait({ guildId, afterSeq: position.seq, ms, signal });
  }
}

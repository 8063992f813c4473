/** Votes of a period, in pages: what the lists of a guild and of a user share. */
import type { FastifyReply } from 'fastify';
import { formatInstant } from '../../../domain/clock.ts';
import {
  currentMonth,
  keptPart,
  keptSince,
  type Period,
  resolvePeriod,
} from '../../../domain/votes/period.ts';
import { positionOf } from '../../../domain/votes/vote.ts';
import { ApiError } from '../../errors/api-error.ts';
import { EXAMPLE, type Operation, WITH_KEY } from '../../openapi/operation.ts';
import { requirePremium } from '../access.ts';
import type { V7Deps } from '../endpoint.ts';
import { DateTime, GuildId, LimitParameter, Ok, Pagination } from '../fields.ts';
import { object, query, type Static } from '../schema.ts';
import { type Cursor, type CursorScope, decodeCursor, encodeCursor } from './list-cursor.ts';
import { writeEntries } from './vote-entries.ts';

/** Dates and cursor are plain strings here: the contract has its own error codes for them. */
export const VoteListQuery = query({
  from: {
    type: 'string',
    description:
      'Start of the period, inclusive: an ISO 8601 date or date-time, for example `2026-11-01T00:00:00.000Z`. Without an offset it is UTC. Default: the start of the current month (UTC).',
  },
  to: {
    type: 'string',
    description:
      'End of the period, exclusive: an ISO 8601 date or date-time, at most 31 days after `from`. Encode the `+` of an offset as `%2B`. Default: now.',
  },
  cursor: {
    type: 'string',
    description:
      '`pagination.next_cursor` of the previous page, unchanged. It contains the period, so the dates can be omitted.',
  },
  limit: LimitParameter,
});

type VoteListQuery = Static<typeof VoteListQuery>;

const VoteEntry = object('Vote', {
  user_id: { type: 'string', description: 'Discord id of the user.' },
  timestamp: { ...DateTime, description: 'When the vote was cast.' },
  is_doubled: {
    type: 'boolean',
    description: 'Whether the vote is worth double rewards. A doubled vote is still a single entry.',
  },
});

const PeriodUsed = object('Period', {
  from: { ...DateTime, description: 'Start of the period that was used, inclusive.' },
  to: { ...DateTime, description: 'End of the period that was used, exclusive.' },
});

export const voteListFields = {
  votes: { type: 'array', items: VoteEntry, description: 'The votes of this page, oldest first.' },
  total: {
    type: 'integer',
    minimum: 0,
    description: 'Votes in the whole period, the same on every page. A doubled vote counts once.',
  },
  pagination: Pagination,
  period: PeriodUsed,
} as const;

export const VoteList = object('VoteList', { ok: Ok, guild_id: GuildId, ...voteListFields });

export type VoteList = Static<typeof VoteList>;

export const EXAMPLE_PERIOD = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-15T12:20:00.000Z' };
export const EXAMPLE_ENTRY: VoteList['votes'][number] = {
  user_id: EXAMPLE.userId,
  timestamp: '2026-11-02T05:05:28.322Z',
  is_doubled: false,
};

export const listOperation = {
  tag: 'Vote lists',
  needsKey: true,
  success: 'One page of votes, oldest first.',
  codes: [
    'INVALID_DATE',
    'INVALID_DATE_RANGE',
    'DATE_RANGE_TOO_LARGE',
    'INVALID_CURSOR',
    'PREMIUM_REQUIRED',
    ...WITH_KEY,
  ],
  fault: { field: 'limit', rule: 'max', bound: LimitParameter.maximum },
} satisfies Partial<Operation>;

/** A `VoteList` whose votes are already written. */
type VotePage = Omit<VoteList, 'votes'> & { votes: Buffer; user_id?: string };

/** The handler of a list returns bytes (`sendVoteList`), which are not what `schema.response` describes. */
export function listRoute<Schema extends { response: object }>(schema: Schema, { clock }: V7Deps) {
  const typed: Omit<Schema, 'response'> = schema;
  return { schema: typed, preValidation: requirePremium(clock) };
}

/** One page of the votes in `scope`: a whole guild, or one user in it. */
export async function listVotes(
  { store, clock, secrets, keepVotesDays = null }: V7Deps,
  scope: CursorScope,
  query: VoteListQuery,
): Promise<VotePage> {
  const cursor = query.cursor ? decodeCursor(query.cursor, scope, secrets.cursorKey) : undefined;
  const period = readPeriod(query, cursor?.period ?? currentMonth(clock()));
  if (query.cursor && !continues(cursor, period)) throw new ApiError('INVALID_CURSOR');

  // Without older votes that are still to be deleted, and whose counts stay.
  const filter = { ...scope, period: keptPart(period, keptSince(clock(), keepVotesDays)) };
  const [found, total] = await Promise.all([
    // One extra vote shows whether another page follows.
    store.votes.list(filter, cursor?.after ?? null, query.limit + 1, (votes) => {
      const last = votes.length > query.limit ? votes[query.limit - 1] : undefined;
      return { entries: writeEntries(votes.slice(0, query.limit)), after: last && positionOf(last) };
    }),
    cursor?.total ?? store.votes.count(filter),
  ]);
  const next = found.after && { period, total, after: found.after };
  return {
    ok: true,
    guild_id: scope.guildId,
    votes: found.entries,
    total,
    pagination: {
      limit: query.limit,
      has_more: next !== undefined,
      next_cursor: next ? encodeCursor(next, scope, secrets.cursorKey) : null,
    },
    period: { from: formatInstant(period.from), to: formatInstant(period.to) },
  };
}

function readPeriod(query: VoteListQuery, defaults: Period): Period {
  const outcome = resolvePeriod(query, defaults);
  if (outcome.kind === 'period') return outcome.period;
  throw outcome.fault === 'INVALID_DATE_RANGE' ? wrongOrder(query) : new ApiError(outcome.fault);
}

/** The message must not blame a date that was not sent. */
function wrongOrder({ from, to }: VoteListQuery): ApiError {
  if (!from) return ApiError.because('default_from');
  return to ? new ApiError('INVALID_DATE_RANGE') : ApiError.because('default_to');
}

/** A cursor continues with the period it was issued for; dates sent with it may only repeat that period. */
function continues(cursor: Cursor | undefined, period: Period): boolean {
  return cursor !== undefined && cursor.period.from === period.from && cursor.period.to === period.to;
}

/**
 * As bytes, which are outside of the JavaScript heap: until a client has read its response, Node keeps what was sent and
 * Fastify what the handler returned, which the garbage collector would copy again and again for every client.
 */
export function sendVoteList(reply: FastifyReply, page: VotePage): Buffer {
  reply.type('application/json; charset=utf-8');
  const { votes, total, pagination, period, ...head } = page;
  const opening = `${JSON.stringify(head).slice(0, -1)},"votes":[`;
  const closing = `],${JSON.stringify({ total, pagination, period }).slice(1)}`;
  return Buffer.concat([Buffer.from(opening), votes, Buffer.from(closing)]);
}

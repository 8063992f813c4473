import { type Client, decode, type Query } from './client.ts';
import { cutIntoPeriods, type Span } from './period.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Runtime } from './runtime.ts';
import type { ClaimableVote, PendingPage, Vote, VotePage } from './types.ts';

export type Walk = {
  path: string;
  span: Span;
  pageSize: string;
  signal: AbortSignal;
  read: (body: object) => VotePage;
};

/**
 * Requests of the key's budget that a walk leaves for others: a history that is read must not make the vote
 * checks of the same key fail.
 */
const RESERVED_REQUESTS = 5;

/** Every vote of a span, oldest first, page after page, however long the span is. */
export async function* walkVotes(client: Client, runtime: Runtime, walk: Walk): AsyncGenerator<Vote, void> {
  let rateLimit: RateLimit | null = null;
  for (const period of cutIntoPeriods(walk.span)) {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      await letBudgetRefill(rateLimit, RESERVED_REQUESTS, runtime, walk.signal);
      const query = pageQuery(walk, period, cursor);
      const answer = await client.call({ path: walk.path, query }, walk.signal);
      const page = decode(answer, walk.read);
      yield* page.votes;
      rateLimit = answer.rateLimit;
      cursor = page.pagination.hasMore ? page.pagination.nextCursor : null;
    }
  }
}

export type PendingWalk = {
  path: string;
  query: Query;
  signal: AbortSignal;
  read: (body: object) => PendingPage;
};

/** Every unclaimed vote, oldest first, page after page. Votes that are claimed meanwhile are left out. */
export async function* walkPending(
  client: Client,
  runtime: Runtime,
  { path, query, signal, read }: PendingWalk,
): AsyncGenerator<ClaimableVote, void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const answer = await client.call({ path, query: { ...query, cursor } }, signal);
    const { votes, pagination } = decode(answer, read);
    yield* votes;
    cursor = pagination.hasMore ? pagination.nextCursor : null;
    if (cursor !== null) await letBudgetRefill(answer.rateLimit, RESERVED_REQUESTS, runtime, signal);
  }
}

function pageQuery({ pageSize }: Walk, period: Span, cursor: string | undefined): Query {
  return {
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    limit: pageSize,
    cursor,
  };
}

/** Waits for the next minute when the key has no more than `reserved` requests left. */
export async function letBudgetRefill(
  limit: RateLimit | null,
  reserved: number,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<void> {
  if (limit === null || limit.remaining > reserved) return;
  await runtime.sleep(limit.resetSeconds * 1000, signal);
}

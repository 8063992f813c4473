import { type Client, decode, type Query } from './client.ts';
import { cutIntoPeriods, type Span } from './period.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Runtime } from './runtime.ts';
import type { Vote, VotePage } from './types.ts';

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
      await letBudgetRefill(rateLimit, runtime, walk.signal);
      const answer = await client.getFresh(walk.path, pageQuery(walk, period, cursor), walk.signal);
      const page = decode(answer, walk.read);
      yield* page.votes;
      rateLimit = answer.rateLimit;
      cursor = page.pagination.hasMore ? page.pagination.nextCursor : null;
    }
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

async function letBudgetRefill(
  limit: RateLimit | null,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<void> {
  if (limit === null || limit.remaining > RESERVED_REQUESTS) return;
  await runtime.sleep(limit.resetSeconds * 1000, signal);
}

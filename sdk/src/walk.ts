import { cutIntoPeriods, type Span } from './period.ts';
import { type Client, decode, type Query } from './requests/client.ts';
import type { Runtime } from './requests/runtime.ts';
import type { RateLimit } from './requests/send.ts';
import type { Pagination, Vote, VotePage } from './types.ts';

export type Walk = {
  path: string;
  span: Span;
  pageSize: string;
  signal: AbortSignal;
  read: (body: object) => VotePage;
};

/**
 * Requests per minute of the key that a walk leaves for other calls: reading a long history must not make the vote
 * checks of the same key fail.
 */
const RESERVED_REQUESTS = 5;

/** Every vote of a span of any length, oldest first. */
export async function* walkVotes(client: Client, runtime: Runtime, walk: Walk): AsyncGenerator<Vote, void> {
  let rateLimit: RateLimit | null = null;
  for (const period of cutIntoPeriods(walk.span)) {
    let cursor: string | null | undefined;
    while (cursor !== null) {
      await waitForBudget(rateLimit, RESERVED_REQUESTS, runtime, walk.signal);
      const query = pageQuery(walk, period, cursor);
      const response = await client.call({ path: walk.path, query }, walk.signal);
      const page = decode(response, walk.read);
      yield* page.votes;
      rateLimit = response.rateLimit;
      cursor = page.pagination.hasMore ? page.pagination.nextCursor : null;
    }
  }
}

export type PageWalk<Item> = {
  path: string;
  query: Query;
  signal: AbortSignal;
  timeoutMs?: number | undefined;
  read: (body: object) => { items: Item[]; pagination: Pagination };
};

/** Every item of a list, page by page. */
export async function* walkPages<Item>(
  client: Client,
  runtime: Runtime,
  { path, query, signal, timeoutMs, read }: PageWalk<Item>,
): AsyncGenerator<Item, void> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const response = await client.call({ path, query: { ...query, cursor }, timeoutMs }, signal);
    const { items, pagination } = decode(response, read);
    yield* items;
    cursor = pagination.hasMore ? pagination.nextCursor : null;
    if (cursor !== null) await waitForBudget(response.rateLimit, RESERVED_REQUESTS, runtime, signal);
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

/** Waits until the rate limit resets if the key has at most `reserved` requests left. */
export async function waitForBudget(
  limit: RateLimit | null,
  reserved: number,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<void> {
  if (limit === null || limit.remaining > reserved) return;
  await runtime.sleep(limit.resetSeconds * 1000, signal);
}

import { readFeedPage } from './answers.ts';
import { type Client, decode } from './client.ts';
import { isPassing } from './retry.ts';
import type { Runtime } from './runtime.ts';
import type { Answer } from './send.ts';
import type { FeedPage } from './types.ts';
import { isVotaryError, type VotaryError } from './votary-error.ts';
import { letBudgetRefill } from './walk.ts';

export type FeedRequest = {
  cursor: string | undefined;
  from: string | undefined;
  pageSize: string | undefined;
  waitSeconds: number;
  signal: AbortSignal;
};

/** Requests of the key's budget that the feed leaves for claims and checks. */
const RESERVED_REQUESTS = 10;

/** After the retries of one call have failed. */
const LONGEST_PAUSE_MS = 30_000;
/** The service can answer 0 votes at once, when it stops or when `waitSeconds` is 0. */
const SHORTEST_ROUND_MS = 1000;

/**
 * Pages with votes, for as long as the caller reads. A page without votes is given once, at the start of a feed that
 * has no cursor yet, so that the caller can store where it started. The next page is requested when the caller
 * asks for it, which is after the last one was processed.
 */
export async function* readFeed(
  client: Client,
  runtime: Runtime,
  request: FeedRequest,
): AsyncGenerator<FeedPage, void> {
  let { cursor } = request;
  for (;;) {
    const startedAt = runtime.now();
    const answer = await requestPage(client, runtime, { ...request, cursor });
    const page = decode(answer, readFeedPage);
    const isStart = cursor === undefined;
    if (page.votes.length > 0 || isStart) yield page;
    cursor = page.cursor;
    await letBudgetRefill(answer.rateLimit, RESERVED_REQUESTS, runtime, request.signal);
    const elapsedMs = runtime.now() - startedAt;
    if (page.votes.length === 0 && !isStart && elapsedMs < SHORTEST_ROUND_MS) {
      await runtime.sleep(SHORTEST_ROUND_MS - elapsedMs, request.signal);
    }
  }
}

/** Goes on trying while the service is away: a feed outlives restarts of the service. */
async function requestPage(client: Client, runtime: Runtime, request: FeedRequest): Promise<Answer> {
  const { cursor, from, pageSize, signal } = request;
  // The start is not waited for, so that the caller can store it at once.
  const waitSeconds = cursor === undefined ? 0 : request.waitSeconds;
  const query = {
    cursor,
    from: cursor === undefined ? from : undefined,
    limit: pageSize,
    wait: String(waitSeconds),
  };
  const timeoutMs = waitSeconds * 1000 + client.timeoutMs;
  for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await client.call({ path: '/guild/feed', query, timeoutMs }, signal);
    } catch (error) {
      if (!isVotaryError(error) || !isTemporary(error)) throw error;
      await runtime.sleep(error.retryAfter ? error.retryAfter * 1000 : pauseMs, signal);
    }
  }
}

function isTemporary(error: VotaryError): boolean {
  return isPassing(error) || error.code === 'TIMEOUT' || error.status === 500;
}

import { isVotaryError, type VotaryError } from './errors/votary-error.ts';
import { type Client, decode } from './requests/client.ts';
import { isTransient } from './requests/retry.ts';
import type { Runtime } from './requests/runtime.ts';
import type { ApiResponse } from './requests/send.ts';
import { readFeedPage } from './responses.ts';
import type { FeedPage } from './types.ts';
import { waitForBudget } from './walk.ts';

export type FeedRequest = {
  cursor: string | undefined;
  from: string | undefined;
  pageSize: string | undefined;
  waitSeconds: number;
  signal: AbortSignal;
};

/** Requests per minute of the key that the feed leaves for claims and checks. */
const RESERVED_REQUESTS = 10;

/** Between calls, when a call and its retries have failed. */
const LONGEST_PAUSE_MS = 30_000;
/** Limits the request rate: the service responds immediately when it shuts down or when `waitSeconds` is 0. */
const SHORTEST_ROUND_MS = 1000;

/**
 * Yields pages with votes for as long as the caller reads. A feed that starts without a cursor first yields one page that
 * may be empty, so that the caller can store the cursor of the start. The next page is requested when the caller
 * asks for it, which is after it has processed the previous one.
 */
export async function* readFeed(
  client: Client,
  runtime: Runtime,
  request: FeedRequest,
): AsyncGenerator<FeedPage, void> {
  let { cursor } = request;
  for (;;) {
    const startedAt = runtime.now();
    const response = await requestPage(client, runtime, { ...request, cursor });
    const page = decode(response, readFeedPage);
    const isStart = cursor === undefined;
    if (page.votes.length > 0 || isStart) yield page;
    cursor = page.cursor;
    await waitForBudget(response.rateLimit, RESERVED_REQUESTS, runtime, request.signal);
    const elapsedMs = runtime.now() - startedAt;
    if (page.votes.length === 0 && !isStart && elapsedMs < SHORTEST_ROUND_MS) {
      await runtime.sleep(SHORTEST_ROUND_MS - elapsedMs, request.signal);
    }
  }
}

/** Retries for as long as the service is unavailable, so that a feed continues after a restart of the service. */
async function requestPage(client: Client, runtime: Runtime, request: FeedRequest): Promise<ApiResponse> {
  const { cursor, from, pageSize, signal } = request;
  // The first request does not wait for votes, so that the caller can store the start immediately.
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
  return isTransient(error) || error.code === 'TIMEOUT' || error.status === 500;
}

import { isVotaryError, VotaryError } from '../errors/votary-error.ts';
import { type Runtime, untilAborted } from './runtime.ts';

/** Before the second and the third attempt, if the response does not say how long to wait. */
const PAUSES_MS = [1000, 3000];

/**
 * Too many requests, and gateways that cannot reach the service, which is what a network error looks like behind a
 * proxy. Not 500: the service was reached and failed, and a retry would add to its load.
 */
const TRANSIENT_STATUSES = [429, 502, 503, 504];

export type RetryOptions = {
  runtime: Runtime;
  timeoutMs: number;
  signal: AbortSignal;
  isRetried?: ((error: VotaryError) => boolean) | undefined;
};

/**
 * Runs `attempt` up to three times, within `timeoutMs` in total. After a response with `retry_after` it waits exactly
 * that long, because an earlier request would be rejected too. If the pause would exceed `timeoutMs`, the call fails
 * immediately with the last error, which has `retryAfter`.
 */
export async function retry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { runtime, timeoutMs, signal, isRetried = isTransient }: RetryOptions,
): Promise<T> {
  const deadline = runtime.now() + timeoutMs;
  return withTimeout(timeoutMs, runtime, signal, async (limited) => {
    for (const defaultPauseMs of PAUSES_MS) {
      let pauseMs: number;
      try {
        return await attempt(limited);
      } catch (error) {
        if (!isVotaryError(error) || !isRetried(error)) throw error;
        // Some proxies send `Retry-After: 0`.
        pauseMs = error.retryAfter ? error.retryAfter * 1000 : defaultPauseMs;
        if (runtime.now() + pauseMs >= deadline) throw error;
      }
      await runtime.sleep(pauseMs, limited);
    }
    return attempt(limited);
  });
}

export function isTransient(error: VotaryError): boolean {
  return error.code === 'NETWORK_ERROR' || TRANSIENT_STATUSES.includes(error.status ?? 0);
}

/** Runs `work` with a signal that is also aborted after `timeoutMs`. The timer is always cleared. */
async function withTimeout<T>(
  timeoutMs: number,
  runtime: Runtime,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const finished = new AbortController();
  const onAbort = () => limited.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  runtime.sleep(timeoutMs, finished.signal).then(
    () => limited.abort(timeoutError(timeoutMs)),
    () => {}, // Finished in time.
  );
  try {
    // Works even if a custom `fetch` ignores its signal.
    return await untilAborted(work(limited.signal), limited.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    finished.abort();
  }
}

function timeoutError(timeoutMs: number): VotaryError {
  return new VotaryError('TIMEOUT', `No response within ${timeoutMs} ms: try again, or increase timeoutMs`);
}

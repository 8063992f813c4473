import type { Runtime } from './runtime.ts';
import { untilAborted } from './until-aborted.ts';
import { isVotaryError, VotaryError } from './votary-error.ts';

/** Before the second and the third try, when the answer does not say how long to wait. */
const PAUSES_MS = [1000, 3000];

/**
 * Too many requests, and a gateway that could not reach the service: the same as a network fault, seen through a
 * proxy. Not 500: the service was reached and failed, and asking again would add to its load.
 */
const PASSING_STATUSES = [429, 502, 503, 504];

export type RetryOptions = {
  runtime: Runtime;
  timeoutMs: number;
  signal: AbortSignal;
  isRetried?: ((error: VotaryError) => boolean) | undefined;
};

/**
 * The result of `attempt`, tried up to three times, within `timeoutMs` for everything. An answer with `retry_after` is
 * tried again after exactly that time: earlier would only be refused again. When the next pause would outlast
 * `timeoutMs`, the call fails at once with the error it has, which carries `retryAfter`.
 */
export async function retry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { runtime, timeoutMs, signal, isRetried = isPassing }: RetryOptions,
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

export function isPassing(error: VotaryError): boolean {
  return error.code === 'NETWORK_ERROR' || PASSING_STATUSES.includes(error.status ?? 0);
}

/** Runs `work` with a signal that is also aborted when the time is over, and leaves no timer behind. */
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
    () => limited.abort(tookTooLong(timeoutMs)),
    () => {}, // Finished in time.
  );
  try {
    // Also when a `fetch` that was given to us does not heed its signal.
    return await untilAborted(work(limited.signal), limited.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    finished.abort();
  }
}

function tookTooLong(timeoutMs: number): VotaryError {
  return new VotaryError('TIMEOUT', `No answer within ${timeoutMs} ms: try again, or raise timeoutMs`);
}

import type { Runtime } from './runtime.ts';
import { untilAborted } from './until-aborted.ts';
import { isVotaryError, VotaryError } from './votary-error.ts';

/** What the contract recommends: again after 1 second, then after 3 seconds, then give up. */
const PAUSES_MS = [1000, 3000];

/**
 * Too many requests, and a gateway that could not reach the service: the same as a network fault, seen through a
 * proxy. Not 500: the service was reached and failed, and asking again would add to its load.
 */
const PASSING_STATUSES = [429, 502, 503, 504];

/**
 * The result of `attempt`, tried up to three times, within `timeoutMs` for everything. When the next pause would
 * outlast that, the error is given at once: nobody waits for a try that cannot come.
 */
export async function retry<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  { runtime, timeoutMs, signal }: { runtime: Runtime; timeoutMs: number; signal: AbortSignal },
): Promise<T> {
  const deadline = runtime.now() + timeoutMs;
  return withTimeout(timeoutMs, runtime, signal, async (limited) => {
    for (const pauseMs of PAUSES_MS) {
      try {
        return await attempt(limited);
      } catch (error) {
        if (!isPassing(error) || runtime.now() + pauseMs >= deadline) throw error;
      }
      await runtime.sleep(pauseMs, limited);
    }
    return attempt(limited);
  });
}

function isPassing(error: unknown): boolean {
  if (!isVotaryError(error)) return false;
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

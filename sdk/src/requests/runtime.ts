/** The clock and timers that the client uses. Tests inject their own. */
export type Runtime = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `milliseconds`; rejects with the signal's reason when the signal is aborted. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
};

export const systemRuntime: Runtime = { now: Date.now, sleep };

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Follows the promise, but rejects with the signal's reason as soon as the signal is aborted. */
export function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return result;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

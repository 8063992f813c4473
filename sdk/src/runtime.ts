/** What the client needs of the world beside `fetch`: the time, and waiting. Tests bring their own. */
export type Runtime = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason as soon as that is aborted. */
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

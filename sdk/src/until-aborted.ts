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

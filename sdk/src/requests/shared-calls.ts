import { untilAborted } from './runtime.ts';

type SharedCall<T> = { result: Promise<T>; callers: number; end: AbortController };

/**
 * Merges identical calls that run at the same time. Each caller can leave with its own signal; the shared call is
 * aborted only when the last caller has left.
 */
export class SharedCalls<T> {
  readonly #calls = new Map<string, SharedCall<T>>();

  async join(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const call = this.#calls.get(key) ?? this.#begin(key, start);
    call.callers += 1;
    try {
      return await untilAborted(call.result, signal);
    } finally {
      call.callers -= 1;
      if (call.callers === 0) this.#end(key, call);
    }
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<T>): SharedCall<T> {
    const end = new AbortController();
    const call = { result: start(end.signal), callers: 0, end };
    // After all callers have left, a rejection would be unhandled.
    call.result.catch(() => {});
    this.#calls.set(key, call);
    return call;
  }

  #end(key: string, call: SharedCall<T>): void {
    // A newer call may already have replaced one that all callers have left.
    if (this.#calls.get(key) === call) this.#calls.delete(key);
    call.end.abort();
  }
}

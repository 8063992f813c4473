import { untilAborted } from './until-aborted.ts';

type SharedCall<T> = { result: Promise<T>; callers: number; end: AbortController };

/**
 * Equal calls that are under way at the same time become one. Each caller may leave by its own signal; the call
 * itself is ended only when the last of them has left.
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
    // When all callers have left, nobody is there to hear that it failed.
    call.result.catch(() => {});
    this.#calls.set(key, call);
    return call;
  }

  #end(key: string, call: SharedCall<T>): void {
    // A newer call may have taken the place of one that everybody left.
    if (this.#calls.get(key) === call) this.#calls.delete(key);
    call.end.abort();
  }
}

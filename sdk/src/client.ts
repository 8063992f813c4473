import { AnswerCache } from './answer-cache.ts';
import { FieldError } from './field-error.ts';
import type { Settings } from './options.ts';
import { retry } from './retry.ts';
import type { Runtime } from './runtime.ts';
import { type Answer, send } from './send.ts';
import { SharedCalls } from './shared-calls.ts';
import { VotaryError } from './votary-error.ts';

export type Query = Readonly<Record<string, string | undefined>>;

/** How a request travels: kept answers first, then together with an equal one under way, then tried up to three times. */
export class Client {
  readonly #settings: Settings;
  readonly #runtime: Runtime;
  readonly #shared = new SharedCalls<Answer>();
  readonly #cache: AnswerCache;

  constructor(settings: Settings, runtime: Runtime) {
    this.#settings = settings;
    this.#runtime = runtime;
    this.#cache = new AnswerCache(settings.cacheMs, runtime);
  }

  /** An answer, possibly one of the last few seconds. */
  async get(path: string, query: Query, signal: AbortSignal | undefined): Promise<Answer> {
    signal?.throwIfAborted();
    const target = this.#target(path, query);
    const kept = this.#cache.find(target);
    if (kept) return kept;
    return this.#shared.join(target, signal, async (shared) => {
      const answer = await this.#fetch(target, shared);
      this.#cache.keep(target, answer);
      return answer;
    });
  }

  /** A new answer, which is not kept. */
  async getFresh(path: string, query: Query, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    return this.#fetch(this.#target(path, query), signal);
  }

  #fetch(target: string, signal: AbortSignal): Promise<Answer> {
    const { timeoutMs } = this.#settings;
    const attempt = (limited: AbortSignal) => send(this.#settings, target, limited);
    return retry(attempt, { runtime: this.#runtime, timeoutMs, signal });
  }

  #target(path: string, query: Query): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, locale: this.#settings.locale })) {
      if (value !== undefined) parameters.set(name, value);
    }
    const text = parameters.toString();
    return `/v7${path}${text && `?${text}`}`;
  }
}

/** Each caller gets objects of its own, made anew from the answer: what one changes, no other sees. */
export function decode<T>({ body, status }: Answer, read: (body: object) => T): T {
  try {
    return read(body);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new VotaryError(
      'INVALID_RESPONSE',
      `The answer is not what the v7 API promises: ${error.message}`,
      { status, cause: error },
    );
  }
}

import { AnswerCache } from './answer-cache.ts';
import { FieldError } from './field-error.ts';
import type { Settings } from './options.ts';
import { retry } from './retry.ts';
import type { Runtime } from './runtime.ts';
import { type Answer, type Method, send } from './send.ts';
import { SharedCalls } from './shared-calls.ts';
import { VotaryError } from './votary-error.ts';

/** A list is sent as a repeated parameter. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request whose answer is neither shared nor kept. */
export type Call = {
  method?: Method;
  path: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  /** Default: the `timeoutMs` of the client. */
  timeoutMs?: number;
  /** Which failures are tried again. Default: the rate limit, network errors and gateways without a service. */
  isRetried?: (error: VotaryError) => boolean;
};

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

  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  /** An answer, possibly one of the last few seconds. */
  async get(path: string, query: Query, signal: AbortSignal | undefined): Promise<Answer> {
    signal?.throwIfAborted();
    const target = this.#target(path, query);
    const kept = this.#cache.find(target);
    if (kept) return kept;
    return this.#shared.join(target, signal, async (shared) => {
      const answer = await this.call({ path, query }, shared);
      this.#cache.keep(target, answer);
      return answer;
    });
  }

  async call(
    { method = 'GET', path, query = {}, headers = {}, timeoutMs = this.timeoutMs, isRetried }: Call,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const request = { method, target: this.#target(path, query), headers };
    const attempt = (limited: AbortSignal) => send(this.#settings, request, limited);
    return retry(attempt, { runtime: this.#runtime, timeoutMs, signal, isRetried });
  }

  #target(path: string, query: Query): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...query, locale: this.#settings.locale })) {
      for (const item of typeof value === 'object' ? value : [value]) {
        if (item !== undefined) parameters.append(name, item);
      }
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

import type { Settings } from '../connection.ts';
import { VotaryError } from '../errors/votary-error.ts';
import { FieldError } from '../fields.ts';
import { ResponseCache } from './response-cache.ts';
import { retry } from './retry.ts';
import type { Runtime } from './runtime.ts';
import { type ApiResponse, type Method, send } from './send.ts';
import { SharedCalls } from './shared-calls.ts';

/** A list is sent as a repeated parameter. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request whose response is neither shared nor cached. */
export type Call = {
  method?: Method;
  path: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; fields that are undefined are left out. */
  body?: object | undefined;
  /** Default: the `timeoutMs` of the client. */
  timeoutMs?: number | undefined;
  /** Which errors are retried. Default: the rate limit, network errors, and gateways that cannot reach the service. */
  isRetried?: ((error: VotaryError) => boolean) | undefined;
};

/** Sends requests: uses a cached response if there is one, joins an identical request in progress, and retries. */
export class Client {
  readonly #settings: Settings;
  readonly #runtime: Runtime;
  readonly #shared = new SharedCalls<ApiResponse>();
  readonly #cache: ResponseCache;

  constructor(settings: Settings, runtime: Runtime) {
    this.#settings = settings;
    this.#runtime = runtime;
    this.#cache = new ResponseCache(settings.cacheMs, runtime);
  }

  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  /** A response that may come from the cache. */
  async get(path: string, query: Query, signal: AbortSignal | undefined): Promise<ApiResponse> {
    signal?.throwIfAborted();
    const target = this.#target(path, query);
    const cached = this.#cache.get(target);
    if (cached) return cached;
    return this.#shared.join(target, signal, async (shared) => {
      const response = await this.call({ path, query }, shared);
      this.#cache.set(target, response);
      return response;
    });
  }

  async call(
    { method = 'GET', path, query = {}, headers = {}, body, timeoutMs = this.timeoutMs, isRetried }: Call,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ApiResponse> {
    signal.throwIfAborted();
    const text = body && JSON.stringify(body);
    const request = { method, target: this.#target(path, query), headers, body: text };
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
    return `${this.#settings.prefix}${path}${text && `?${text}`}`;
  }
}

/** Creates new objects for each caller, so that callers that share a response cannot affect each other. */
export function decode<T>({ body, status }: ApiResponse, read: (body: object) => T): T {
  try {
    return read(body);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new VotaryError('INVALID_RESPONSE', `The response does not match the API: ${error.message}`, {
      status,
      cause: error,
    });
  }
}

import { VotaryError } from './votary-error.ts';

export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export type VotaryOptions = {
  /** The API key of your community. Keep it on your server: never in a browser, never in a repository. */
  apiKey: string;
  /** Where the service is, such as `https://votes.example.org`: https, without `/v7`. */
  baseUrl: string;
  /** The language of error messages: `en` or `fr`. Default: the service's, English. */
  locale?: string | undefined;
  /** How long an answer is used again for equal calls; default 3, and 0 asks the service each time. */
  cacheSeconds?: number | undefined;
  /** The longest a call may take, retries and the pauses before them included; default 10,000. */
  timeoutMs?: number | undefined;
  /** Another `fetch`, for a proxy or a certificate authority of your own. */
  fetch?: FetchLike | undefined;
};

/** Options that were checked and completed. */
export type Settings = {
  apiKey: string;
  baseUrl: string;
  locale: string | undefined;
  cacheMs: number;
  timeoutMs: number;
  fetch: FetchLike;
};

/** What stands in examples where a key should be; the service knows many more and answers them in words. */
const PLACEHOLDER =
  /^(?:<.*>|\[.*\]|[$#]?\{.*\}|%.*%|\$\w+|[x*.•…]+|undefined|null|change_?me|api_?key|(?:your|my|votre).*(?:key|token|cl[eé]|api).*)$/i;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** Beyond this, timers of JavaScript fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export function readOptions(options: VotaryOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw invalid('new Votary() takes an object with apiKey and baseUrl');
  }
  const { cacheSeconds = 3, timeoutMs = 10_000, locale } = options;
  if (locale !== undefined && typeof locale !== 'string') throw invalid('locale must be a text such as "fr"');
  if (!(typeof cacheSeconds === 'number' && cacheSeconds >= 0)) {
    throw invalid('cacheSeconds must be 0 (no caching) or a number of seconds');
  }
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw invalid('timeoutMs must be a number of milliseconds above 0');
  }
  return {
    apiKey: readApiKey(options.apiKey),
    baseUrl: readBaseUrl(options.baseUrl),
    locale,
    cacheMs: cacheSeconds * 1000,
    timeoutMs: Math.min(timeoutMs, LONGEST_TIMEOUT_MS),
    // Looked up at each call, with its owner: runtimes refuse a `fetch` that was torn from its global object.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

/** No message repeats the key: errors end up in logs. */
function readApiKey(value: unknown): string {
  const key = typeof value === 'string' ? value.trim() : '';
  if (key === '') {
    throw new VotaryError(
      'API_NOT_SET',
      'apiKey is empty: generate a key in the dashboard, and check that the variable you read it from is set',
    );
  }
  if (PLACEHOLDER.test(key)) {
    throw new VotaryError(
      'API_NOT_SET',
      'apiKey is still a placeholder: put the key of your community there',
    );
  }
  if (!VISIBLE_ASCII.test(key)) {
    throw new VotaryError('API_NOT_SET', 'apiKey holds characters that no key has: copy it again');
  }
  return key;
}

function readBaseUrl(value: unknown): string {
  const url = parseUrl(value);
  if (!url) throw invalid('baseUrl must be the address of the service, such as https://votes.example.org');
  if (url.protocol !== 'https:') {
    throw invalid(
      'baseUrl must start with https:// since the API refuses plain HTTP, which would show your key',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalid('baseUrl must be an address alone, without a user, a password, "?" or "#"');
  }
  const address = url.href.replace(/\/+$/, '');
  if (/\/v\d+$/.test(address)) throw invalid('baseUrl must not name the version: leave out "/v7" at its end');
  return address;
}

function parseUrl(value: unknown): URL | undefined {
  try {
    return typeof value === 'string' || value instanceof URL ? new URL(value) : undefined;
  } catch {
    return undefined;
  }
}

function invalid(message: string): VotaryError {
  return new VotaryError('INVALID_ARGUMENT', message);
}

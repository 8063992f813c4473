import { VotaryError } from './errors/votary-error.ts';

export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export type VotaryOptions = {
  /** The API key of your community. Keep it on your server: never in a browser, never in a repository. */
  apiKey: string;
  /** The address of the service, such as `https://votes.example.org`: https, without `/v7`. */
  baseUrl: string;
  /** The language of error messages: `en` or `fr`. Default: English. */
  locale?: string | undefined;
  /** How long a response is reused for identical calls. Default 3; 0 turns caching off. */
  cacheSeconds?: number | undefined;
  /** The maximum time of a call, including retries and the pauses before them. Default 10,000. */
  timeoutMs?: number | undefined;
  /** A custom `fetch`, for example to use a proxy or your own certificate authority. */
  fetch?: FetchLike | undefined;
};

/** Validated options with defaults. */
export type Settings = {
  apiKey: string;
  baseUrl: string;
  locale: string | undefined;
  cacheMs: number;
  timeoutMs: number;
  fetch: FetchLike;
};

/** Common placeholders for a key. The service recognizes more of them and returns a helpful error. */
const PLACEHOLDER = /^(?:<.*>|\[.*\]|[$#]?\{.*\}|%.*%|\$\w+|[x*.•…]+|undefined|null|change_?me|api_?key)$/i;
const INSTRUCTION = /^(?:your|my|votre).*(?:key|token|cl[eé]|api)/i;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** JavaScript timers with a longer delay fire immediately. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export function readOptions(options: VotaryOptions): Settings {
  if (typeof options !== 'object' || options === null) {
    throw invalid('new Votary() takes an object with apiKey and baseUrl');
  }
  const { cacheSeconds = 3, timeoutMs = 10_000, locale } = options;
  if (locale !== undefined && typeof locale !== 'string')
    throw invalid('locale must be a string such as "fr"');
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
    // Called on `globalThis`, because some runtimes reject a detached `fetch`. Looked up at each call, so that it can be mocked.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

/** Messages never contain the key, because errors end up in logs. */
function readApiKey(value: unknown): string {
  const key = typeof value === 'string' ? value.trim() : '';
  if (key === '') {
    throw new VotaryError(
      'API_NOT_SET',
      'apiKey is empty: generate a key in the dashboard, and check that the variable you read it from is set',
    );
  }
  if (PLACEHOLDER.test(key) || INSTRUCTION.test(key)) {
    throw new VotaryError(
      'API_NOT_SET',
      'apiKey is a placeholder: replace it with the key of your community',
    );
  }
  if (!VISIBLE_ASCII.test(key)) {
    throw new VotaryError('API_NOT_SET', 'apiKey contains characters that no key has: copy it again');
  }
  return key;
}

function readBaseUrl(value: unknown): string {
  const url = parseUrl(value);
  if (!url) throw invalid('baseUrl must be the address of the service, such as https://votes.example.org');
  if (url.protocol !== 'https:') {
    throw invalid(
      'baseUrl must start with https:// because the API rejects plain HTTP, which would expose your key',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalid('baseUrl must not contain a user name, a password, "?" or "#"');
  }
  let address = url.href;
  while (address.endsWith('/')) address = address.slice(0, -1);
  if (/\/v\d+$/.test(address))
    throw invalid('baseUrl must not contain the version: remove "/v7" from the end');
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

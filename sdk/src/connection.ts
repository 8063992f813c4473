/** The options that all clients of this package share. */

import { VotaryError } from './errors/votary-error.ts';

export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

export type ConnectionOptions = {
  /** The address of the service, such as `https://votes.example.org`: https, without `/v7` or `/manage/v1`. */
  baseUrl: string;
  /** The language of error messages: `en` or `fr`. Default: English. */
  locale?: string | undefined;
  /** The maximum time of a call, including retries and the pauses before them. Default 10,000. */
  timeoutMs?: number | undefined;
  /** A custom `fetch`, for example to use a proxy or your own certificate authority. */
  fetch?: FetchLike | undefined;
};

/** Validated options with defaults. */
export type Connection = {
  baseUrl: string;
  locale: string | undefined;
  timeoutMs: number;
  fetch: FetchLike;
};

/** What a client needs to send requests. */
export type Settings = Connection & {
  /** The API key or token, which is sent as `Authorization: Bearer`. */
  credential: string;
  /** The path of the API, such as `/v7`. */
  prefix: string;
  cacheMs: number;
};

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** JavaScript timers with a longer delay fire immediately. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export function readConnection({ baseUrl, locale, timeoutMs, fetch }: ConnectionOptions): Connection {
  if (locale !== undefined && typeof locale !== 'string')
    throw invalid('locale must be a string such as "fr"');
  return {
    baseUrl: readBaseUrl(baseUrl),
    locale,
    timeoutMs: readTimeout(timeoutMs ?? 10_000),
    // Called on `globalThis`, because some runtimes reject a detached `fetch`. Looked up at each call, so that it can be mocked.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

export function readTimeout(timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return Math.min(timeoutMs, LONGEST_TIMEOUT_MS);
  throw invalid('timeoutMs must be a number of milliseconds above 0');
}

/** `fetch` reports a header with other characters as a network error. */
export function isSendable(credential: string): boolean {
  return VISIBLE_ASCII.test(credential);
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
  const version = /(?:\/manage)?\/v\d+$/.exec(address)?.[0];
  if (version) throw invalid(`baseUrl must not contain the version: remove "${version}" from the end`);
  return address;
}

function parseUrl(value: unknown): URL | undefined {
  try {
    return typeof value === 'string' || value instanceof URL ? new URL(value) : undefined;
  } catch {
    return undefined;
  }
}

export function invalid(message: string): VotaryError {
  return new VotaryError('INVALID_ARGUMENT', message);
}

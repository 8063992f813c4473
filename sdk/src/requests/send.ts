import type { Settings } from '../connection.ts';
import { readFailure } from '../errors/failure.ts';
import { readNetworkFailure } from '../errors/network-failure.ts';
import { VotaryError } from '../errors/votary-error.ts';
import { isObject, parseJson } from '../fields.ts';
import { VERSION } from '../version.ts';

/** A successful response of the API. `length` is the length of its text, which the cache uses as its cost. */
export type ApiResponse = {
  body: object;
  status: number;
  length: number;
  rateLimit: RateLimit | null;
  /** Whether this repeats the response to an earlier request with the same idempotency key. */
  isReplayed: boolean;
};

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** `target` is the path with its query string. */
export type Request = {
  method: Method;
  target: string;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string | undefined;
};

/** Sends one request, without retries. Rejects with a `VotaryError`, or with the signal's reason if it is aborted. */
export async function send(settings: Settings, request: Request, signal: AbortSignal): Promise<ApiResponse> {
  const { response, text } = await exchange(settings, request, signal);
  if (!response.ok) throw readFailure(response, text);
  const body = parseJson(text);
  const { status } = response;
  if (!isObject(body)) {
    throw new VotaryError(
      'INVALID_RESPONSE',
      `The response from ${settings.baseUrl} is not JSON: check that baseUrl is the address of the Votary service`,
      { status },
    );
  }
  const isReplayed = response.headers.get('idempotent-replayed') === 'true';
  return { body, status, length: text.length, rateLimit: readRateLimit(response.headers), isReplayed };
}

async function exchange(
  { baseUrl, credential, fetch }: Settings,
  { method, target, headers, body }: Request,
  signal: AbortSignal,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(baseUrl + target, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${credential}`,
        accept: 'application/json',
        'user-agent': `votary-sdk/${VERSION}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      // A redirect could send the key to another host, or over plain HTTP.
      redirect: 'manual',
      signal,
    });
    return { response, text: await response.text() };
  } catch (cause) {
    // Not every runtime rejects with the signal's reason.
    signal.throwIfAborted();
    throw readNetworkFailure(cause, baseUrl);
  }
}

/** The requests that the key has left, and the seconds until its limit resets. */
export type RateLimit = { remaining: number; resetSeconds: number };

/** Parses `RateLimit: "default";r=12;t=41`. Null if the service or a proxy does not send it. */
export function readRateLimit(headers: Headers): RateLimit | null {
  const text = headers.get('ratelimit') ?? '';
  const remaining = /;\s*r=(\d+)/.exec(text)?.[1];
  const resetSeconds = /;\s*t=(\d+)/.exec(text)?.[1];
  if (remaining === undefined || resetSeconds === undefined) return null;
  return { remaining: Number(remaining), resetSeconds: Number(resetSeconds) };
}

import { readFailure } from './failure.ts';
import { isObject, parseJson } from './fields.ts';
import type { Settings } from './options.ts';
import { type RateLimit, readRateLimit } from './rate-limit.ts';
import { VERSION } from './version.ts';
import { VotaryError } from './votary-error.ts';

/** A success of the API. `length` is that of its text: what keeping it costs. */
export type Answer = { body: object; status: number; length: number; rateLimit: RateLimit | null };

/** One request, made once. Rejects with a `VotaryError`, or with the signal's reason once that is aborted. */
export async function send(settings: Settings, path: string, signal: AbortSignal): Promise<Answer> {
  const { response, text } = await exchange(settings, path, signal);
  if (!response.ok) throw readFailure(response, text);
  const body = parseJson(text);
  const { status } = response;
  if (!isObject(body)) {
    throw new VotaryError(
      'INVALID_RESPONSE',
      `Something at ${settings.baseUrl} answered, but not with JSON: check that baseUrl is the Votary service`,
      { status },
    );
  }
  return { body, status, length: text.length, rateLimit: readRateLimit(response.headers) };
}

async function exchange(
  { baseUrl, apiKey, fetch }: Settings,
  path: string,
  signal: AbortSignal,
): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(baseUrl + path, {
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        'user-agent': `votary-sdk/${VERSION}`,
      },
      // A redirect could carry the key to another host, or from https to http.
      redirect: 'manual',
      signal,
    });
    return { response, text: await response.text() };
  } catch (cause) {
    // Not every runtime rejects with the reason itself.
    signal.throwIfAborted();
    throw new VotaryError(
      'NETWORK_ERROR',
      `${baseUrl} could not be reached (${describe(cause)}): check the address, and that the service is running`,
      { cause },
    );
  }
}

/** Node says only "fetch failed"; what happened is in the cause of it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return describe(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

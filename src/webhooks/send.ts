/**
 * One POST to a receiver, bounded in every way: where it goes, how long it takes, how much of the answer is read.
 * It never rejects; what went wrong is told in the result.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Failure } from '../domain/webhooks/failure.ts';
import { checkWebhookUrl, type ReachRule } from '../domain/webhooks/url.ts';
import { DeliveryError, failureOf } from './failures.ts';
import { type Resolve, reachableLookup } from './resolve.ts';

/** Of an answer only this much is read, and kept in the log. */
const ANSWER_BYTES = 256;

const USER_AGENT = 'Votary-Webhooks';

export type SendDeps = {
  rule: ReachRule;
  resolve: Resolve;
  timeoutMs: number;
  /** Certificates to trust beside those of the system. */
  ca?: string;
};

type OutgoingMessage = { url: string; headers: Record<string, string>; body: string };

export type SendResult = {
  /** Null when no answer came. */
  status: number | null;
  answer: string;
  error: Failure | null;
  retryAfter: string | undefined;
};

export type Send = (message: OutgoingMessage, stop?: AbortSignal) => Promise<SendResult>;

export function createSend(deps: SendDeps): Send {
  return async (message, stop) => {
    const timeout = AbortSignal.timeout(deps.timeoutMs);
    try {
      return await post(message, deps, stop ? AbortSignal.any([timeout, stop]) : timeout);
    } catch (error) {
      const failure = timeout.aborted ? 'NO_RESPONSE' : failureOf(error);
      return { status: null, answer: '', error: failure, retryAfter: undefined };
    }
  };
}

async function post(message: OutgoingMessage, deps: SendDeps, signal: AbortSignal): Promise<SendResult> {
  const response = await answerTo(open(message, deps, signal), message.body);
  const status = response.statusCode ?? 0;
  const { location, 'retry-after': retryAfter } = response.headers;
  const isRedirect = status >= 300 && status <= 399 && location !== undefined;
  return {
    status,
    answer: await readStart(response),
    error: isRedirect ? 'REDIRECT' : null,
    retryAfter,
  };
}

/** The address is looked at again, although it was when it was set: a socket asks no resolver for a bare IP address. */
function open(
  { url: text, headers, body }: OutgoingMessage,
  { rule, resolve, ca }: SendDeps,
  signal: AbortSignal,
): ClientRequest {
  const checked = checkWebhookUrl(text, rule);
  if (!checked.ok) {
    throw new DeliveryError(checked.fault === 'forbidden-port' ? 'FORBIDDEN_PORT' : 'PRIVATE_ADDRESS');
  }
  const url = new URL(text);
  const options: RequestOptions = {
    method: 'POST',
    signal,
    // A connection of its own: none is kept that was looked at long ago.
    agent: false,
    lookup: reachableLookup(resolve, rule, signal),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': USER_AGENT,
      ...headers,
    },
  };
  return url.protocol === 'https:'
    ? httpsRequest(url, ca === undefined ? options : { ...options, ca })
    : httpRequest(url, options);
}

function answerTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', resolve);
  // Stays for the life of the request: a fault after the answer must not go unheard and end the process.
  request.on('error', reject);
  // An answer that wants another protocol closes the connection and is no fault to Node.
  request.on('close', () => reject(new DeliveryError('CONNECTION_CLOSED')));
  request.end(body);
  return promise;
}

/** The status has been given: an answer that breaks off or is never finished changes nothing. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= ANSWER_BYTES) break;
    }
  } catch {
    // What came is kept.
  }
  response.destroy();
  // A character that is cut in two is left out; one that the receiver itself broke off is shown as broken.
  const isCut = length >= ANSWER_BYTES;
  const bytes = Buffer.concat(chunks).subarray(0, ANSWER_BYTES);
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  // NUL is the one character that PostgreSQL does not keep.
  return cutToBytes(text.replaceAll('\0', ''), ANSWER_BYTES);
}

/** As many whole characters as fit: bytes that are no text have become longer by being decoded. */
function cutToBytes(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

/**
 * Sends one POST to a receiver, with limits on the address, the duration and the size of the response. Never
 * rejects; errors are part of the result.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { SECOND_MS } from '../domain/clock.ts';
import { checkWebhookUrl, type ReachRule, ruleFor } from '../domain/webhooks/destination.ts';
import { DeliveryError, type Failure, failureOf } from '../domain/webhooks/failure.ts';
import { type Resolve, reachableLookup } from './resolve.ts';

/** How much of a response is read and logged. */
const ANSWER_BYTES = 256;

const USER_AGENT = 'Votary-Webhooks';

export type SendDeps = {
  rule: ReachRule;
  resolve: Resolve;
  timeoutMs: number;
  /** Certificates to trust in addition to those of the system. */
  ca?: string;
};

type OutgoingMessage = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Shorter than the usual limit. */
  timeoutMs?: number;
};

export type SendResult = {
  /** Null without a response. */
  status: number | null;
  answer: string;
  error: Failure | null;
  retryAfter: string | undefined;
  /** The receiver accepts nothing more for this long (X-RateLimit-Remaining, X-RateLimit-Reset-After). */
  pauseMs?: number;
};

export type Send = (message: OutgoingMessage, stop?: AbortSignal) => Promise<SendResult>;

/**
 * Connections wait for the next event, because a TLS handshake takes longer than the rest of a delivery. Not for long:
 * their address was checked when they were opened, and most receivers close them soon (Node: after 5 s).
 */
const KEEP_ALIVE = { keepAlive: true, timeout: 4 * SECOND_MS, maxFreeSockets: 2 };

const MAX_IDLE_HOSTS = 256;

type Agents = { http: HttpAgent; https: HttpsAgent };

/** Not while too many connections are kept: a worker can send to thousands of receivers in a few seconds. */
function withRoom<Agent extends HttpAgent>(agent: Agent | undefined): Agent | false {
  return agent && Object.keys(agent.freeSockets).length < MAX_IDLE_HOSTS ? agent : false;
}

export function createSend(deps: SendDeps): Send {
  const agents = { http: new HttpAgent(KEEP_ALIVE), https: new HttpsAgent(KEEP_ALIVE) };
  const postDeps = { ...deps, agents, check: createCheck(deps.rule) };
  return async (message, stop) => {
    const limit = limitTime(Math.min(deps.timeoutMs, message.timeoutMs ?? deps.timeoutMs), stop);
    try {
      return await post(message, postDeps, limit.signal);
    } catch (error) {
      const failure = limit.hasTimedOut ? 'NO_RESPONSE' : failureOf(error);
      return { status: null, answer: '', error: failure, retryAfter: undefined };
    } finally {
      limit.end();
    }
  };
}

type TimeLimit = { signal: AbortSignal; readonly hasTimedOut: boolean; end(): void };

/** Like `AbortSignal.timeout` and `AbortSignal.any`, but ends with the attempt: those keep a timer for each attempt. */
function limitTime(timeoutMs: number, stop: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let hasTimedOut = false;
  const onStop = () => controller.abort(stop?.reason);
  if (stop?.aborted) onStop();
  else stop?.addEventListener('abort', onStop, { once: true });
  const timer = setTimeout(() => {
    hasTimedOut = !controller.signal.aborted;
    controller.abort();
  }, timeoutMs);
  timer.unref();
  return {
    signal: controller.signal,
    get hasTimedOut() {
      return hasTimedOut;
    },
    end() {
      clearTimeout(timer);
      stop?.removeEventListener('abort', onStop);
    },
  };
}

/** Parses and checks a URL; throws a `DeliveryError` if it is not allowed. */
type CheckUrl = (text: string) => URL;

const MAX_CHECKED_URLS = 256;

/** Remembers URLs that are allowed: that depends only on their text and the rule. Addresses of names are not part of it. */
function createCheck(rule: ReachRule): CheckUrl {
  const allowed = new Map<string, URL>();
  return (text) => {
    const known = allowed.get(text);
    if (known) return known;
    const checked = checkWebhookUrl(text, rule);
    if (!checked.ok) {
      throw new DeliveryError(checked.fault === 'forbidden-port' ? 'FORBIDDEN_PORT' : 'PRIVATE_ADDRESS');
    }
    const url = new URL(text);
    if (allowed.size >= MAX_CHECKED_URLS) allowed.clear();
    allowed.set(text, url);
    return url;
  };
}

type PostDeps = SendDeps & { check: CheckUrl; agents?: Agents };

async function post(message: OutgoingMessage, deps: PostDeps, signal: AbortSignal): Promise<SendResult> {
  const { body } = message;
  const request = open(message, deps, signal);
  const response = await answerTo(request, body).catch((error: unknown) => {
    if (!request.reusedSocket || signal.aborted) throw error;
    // The receiver closed a kept connection when it was used again: the event goes to a new one.
    const { agents: _agents, ...fresh } = deps;
    return answerTo(open(message, fresh, signal), body);
  });
  const status = response.statusCode ?? 0;
  const { location, 'retry-after': retryAfter } = response.headers;
  const isRedirect = status >= 300 && status <= 399 && location !== undefined;
  return {
    status,
    answer: await readStart(response),
    error: isRedirect ? 'REDIRECT' : null,
    retryAfter,
    ...readPause(response.headers),
  };
}

function readPause(headers: IncomingHttpHeaders): Pick<SendResult, 'pauseMs'> {
  const seconds = headers['x-ratelimit-remaining'] === '0' ? Number(headers['x-ratelimit-reset-after']) : 0;
  return seconds > 0 ? { pauseMs: Math.ceil(seconds * SECOND_MS) } : {};
}

/** Checks the address again: a socket does not call the resolver for a literal IP address. */
function open(
  { url: text, headers, body }: OutgoingMessage,
  { rule, resolve, ca, agents, check }: PostDeps,
  signal: AbortSignal,
): ClientRequest {
  const url = check(text);
  const options: RequestOptions = {
    method: 'POST',
    signal,
    lookup: reachableLookup(resolve, ruleFor(url, rule), signal),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': USER_AGENT,
      ...headers,
    },
  };
  return url.protocol === 'https:'
    ? httpsRequest(url, { ...options, agent: withRoom(agents?.https), ...(ca === undefined ? {} : { ca }) })
    : httpRequest(url, { ...options, agent: withRoom(agents?.http) });
}

function answerTo(request: ClientRequest, body: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let isAnswered = false;
  request.on('response', (response) => {
    isAnswered = true;
    resolve(response);
  });
  // Stays attached: an unhandled error after the response would end the process.
  request.on('error', reject);
  // After an upgrade response, Node closes the connection without an error.
  request.on('close', () => {
    if (!isAnswered) reject(new DeliveryError('CONNECTION_CLOSED'));
  });
  request.end(body);
  return promise;
}

/** The status is known, so an incomplete body is not an error. */
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
    // Keep what was received.
  }
  response.destroy();
  // Drops a character that our limit cut in two; one that the receiver truncated is shown as a replacement
  // character.
  const isCut = length >= ANSWER_BYTES;
  const bytes = Buffer.concat(chunks).subarray(0, ANSWER_BYTES);
  const text = new TextDecoder().decode(bytes, { stream: isCut });
  // PostgreSQL cannot store NUL.
  return cutToBytes(text.replaceAll('\0', ''), ANSWER_BYTES);
}

/** Cuts at a character boundary: decoding invalid bytes makes the text longer. */
function cutToBytes(text: string, bytes: number): string {
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
}

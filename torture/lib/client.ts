import { once } from 'node:events';
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Session } from './sessions.ts';

export type Answer = { status: number; text: string; headers: IncomingMessage['headers'] };

export type Call = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  timeoutMs?: number;
  /** Called in the tick in which the response head arrives, before its body is read. */
  onHead?: (head: Pick<Answer, 'status' | 'headers'>) => void;
};

/** Connections to one server, kept alive between requests by default. */
export type Client = {
  call(path: string, call?: Call): Promise<Answer>;
  /** Opens this many connections, for concurrent requests. */
  warmUp(connections: number): Promise<void>;
  /** Requests that have a connection and no response yet. */
  countInFlight(): number;
  close(): void;
};

export function newClient(url: string, { maxSockets = 64, keepAlive = true } = {}): Client {
  // In turn: connections that are rarely used would be closed, and opened again at the next peak.
  const options = { keepAlive, maxSockets, rejectUnauthorized: false, scheduling: 'fifo' } as const;
  const isTls = url.startsWith('https:');
  const agent = isTls ? new TlsAgent(options) : new PlainAgent(options);
  const client: Client = {
    close: () => agent.destroy(),
    call: async (path, { method = 'GET', headers = {}, body = '', timeoutMs = 30_000, onHead } = {}) => {
      const request = (isTls ? tlsRequest : plainRequest)(url + path, { method, agent, headers });
      request.setTimeout(timeoutMs, () => request.destroy(new Error('no answer in time')));
      if (onHead) request.once('response', (response) => onHead(headOf(response)));
      request.end(body);
      const [response]: IncomingMessage[] = await once(request, 'response');
      if (!response) throw new Error('no response');
      return { ...headOf(response), text: await text(response) };
    },
    warmUp: async (connections) => {
      await Promise.all(Array.from({ length: connections }, () => client.call('/healthz')));
    },
    countInFlight: () =>
      Object.values(agent.sockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0),
  };
  return client;
}

function headOf({ statusCode = 0, headers }: IncomingMessage): Pick<Answer, 'status' | 'headers'> {
  return { status: statusCode, headers };
}

/** Votes on the voting page, like a browser. 303 means that the vote is stored, now or earlier. */
export function castVote(client: Client, guildId: string, session: Session, headers = {}): Promise<Answer> {
  return client.call(`/guild/${guildId}/vote`, {
    method: 'POST',
    headers: {
      ...headers,
      cookie: session.cookie,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ _csrf: session.csrfToken }).toString(),
  });
}

/** Runs `work` this many times concurrently, until `isOver`. */
export async function inParallel(
  workers: number,
  isOver: () => boolean,
  work: (worker: number) => Promise<void>,
): Promise<void> {
  const one = async (worker: number) => {
    while (!isOver()) await work(worker);
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => one(worker)));
}

/** What only the inside of the program knows: no response may contain it. */
const INSIDE = /SQLITE|SqliteError|ECONN|pg_|postgres:|node_modules|\n\s+at /;

/** Whether the service failed as required: with a page that says that it is unavailable, and when to try again. */
export function isWordedPage({ status, text, headers }: Answer): boolean {
  const isPage = String(headers['content-type']).startsWith('text/html') && saysWhenToRetry(headers);
  return status === 503 && isPage && text.includes('Temporarily unavailable') && !INSIDE.test(text);
}

/** Whether the service failed as required: with exactly the error body for an unavailable database. */
export function isWordedError({ status, text, headers }: Answer): boolean {
  if (status !== 503 || headers['content-type'] !== 'application/json; charset=utf-8') return false;
  const { ok, error, message, retry_after, ...rest } = JSON.parse(text);
  const hasWords = typeof message === 'string' && message !== '';
  const isWhole = ok === false && error === 'SERVICE_UNAVAILABLE' && hasWords && saysWhenToRetry(headers);
  return isWhole && Number.isInteger(retry_after) && Object.keys(rest).length === 0 && !INSIDE.test(text);
}

function saysWhenToRetry(headers: Answer['headers']): boolean {
  return /^[1-9]\d*$/.test(String(headers['retry-after']));
}

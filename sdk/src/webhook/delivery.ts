import { toBytes } from './bytes.ts';
import type { WebhookHeaders } from './headers.ts';
import type { WebhookRefusalReason } from './refusal.ts';

/** The members of a `node:http` request that are used here. Express adds `body` when a body parser has run. */
export type NodeRequest = AsyncIterable<unknown> & {
  headers: WebhookHeaders;
  readableEnded?: boolean;
  body?: unknown;
  rawBody?: unknown;
};

export type NodeResponse = {
  statusCode: number;
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
};

/** Fastify wraps both. Responding through its reply lets its hooks and logs see the response. */
export type FastifyRequest = { raw: NodeRequest; headers: WebhookHeaders; body?: unknown; rawBody?: unknown };

export type FastifyReply = {
  readonly sent: boolean;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(payload?: unknown): unknown;
};

export type RawBody = { read: true; body: Uint8Array } | { read: false; reason: WebhookRefusalReason };

/** More than a hundred times the size of an event. */
const MAX_BODY_BYTES = 64 * 1024;

/** The raw body: as a body parser has read it, or else from the connection. */
export async function readRawBody(request: NodeRequest | FastifyRequest): Promise<RawBody> {
  for (const body of [request.rawBody, request.body]) {
    const bytes = toBytes(body);
    if (bytes) return { read: true, body: bytes };
  }
  const source = 'raw' in request ? request.raw : request;
  // A parsed body alone proves nothing: some parsers set an empty object without reading the stream.
  if (source.readableEnded) return { read: false, reason: 'BODY_NOT_RAW' };
  try {
    return await readStream(source);
  } catch {
    // The sender has closed the connection and will deliver the event again.
    return { read: false, reason: 'BODY_CUT_OFF' };
  }
}

/** Also reads a body that is too large to its end, because stopping early would close the connection before the response. */
async function readStream(source: AsyncIterable<unknown>): Promise<RawBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    const bytes = toBytes(chunk);
    if (!bytes) return { read: false, reason: 'BODY_NOT_RAW' };
    length += bytes.length;
    if (length <= MAX_BODY_BYTES) chunks.push(bytes);
    else chunks.length = 0;
  }
  if (length > MAX_BODY_BYTES) return { read: false, reason: 'BODY_TOO_LARGE' };
  return { read: true, body: join(chunks, length) };
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

/** Responds once. Does nothing if something else has already responded, such as a timeout of the framework. */
export function respond(
  response: NodeResponse | FastifyReply,
  status: number,
  body?: object,
  retryAfter?: number,
): void {
  const text = body && JSON.stringify(body);
  const headers: [name: string, value: string][] = [];
  if (text) headers.push(['content-type', 'application/json; charset=utf-8']);
  if (retryAfter !== undefined) headers.push(['retry-after', String(retryAfter)]);
  if ('send' in response && 'sent' in response) {
    if (response.sent) return;
    response.code(status);
    for (const [name, value] of headers) response.header(name, value);
    response.send(text);
    return;
  }
  if (response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of headers) response.setHeader(name, value);
  response.end(text);
}

import { type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DEFAULT_LOCALE, type Locale } from '../domain/locale.ts';
import { systemCode } from '../domain/system-error.ts';
import type { RefusalCode } from './refusal.ts';

/** Status and body of an error. Injected by the server, so these responses match those of the API. */
export type RenderError = (code: RefusalCode, locale: Locale) => { status: number; body: string };

/** The headers of a response that ends its connection. */
export function closingHeaders(body: string, locale: Locale): Record<string, string | number> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Language': locale,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  };
}

/**
 * A complete response as text, for sockets without a request object. Always English, because no language was read.
 */
function rawErrorResponse(code: RefusalCode, render: RenderError): string {
  const { status, body } = render(code, DEFAULT_LOCALE);
  const headers = Object.entries(closingHeaders(body, DEFAULT_LOCALE)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`;
}

const LINGER_MS = 1000;

/**
 * Sends a final response and closes. The socket is read for a moment longer: closing it while the client is still
 * sending would reset the connection, and the client could lose the response.
 */
function endWithLinger(socket: Socket, response: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(response);
  socket.resume();
}

/** The responses to input that cannot be parsed. */
export const CLIENT_ERRORS = [
  'BAD_REQUEST',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
] as const satisfies RefusalCode[];

export type ClientError = (typeof CLIENT_ERRORS)[number];

/** `error` is Node's, with the reason in its code. */
export type ReportClientError = (code: ClientError, error: Error, socket: Socket) => void;

export type ClientErrorHandler = (error: Error, socket: Socket) => void;

/**
 * Responds to input that Node cannot parse: malformed HTTP, too many headers, requests that never end. Node reports
 * the same socket again for later input, so an earlier response is checked for.
 */
export function createClientErrorHandler(
  render: RenderError,
  report: ReportClientError = () => {},
): ClientErrorHandler {
  const refused = new WeakSet<Socket>();
  return (error, socket) => {
    const code = errorCodeOf(error);
    if (code === undefined || !socket.writable) {
      if (!socket.writableEnded) socket.destroy();
      return;
    }
    // The error response waits for the one before it, and garbage keeps arriving.
    if (refused.has(socket)) return;
    refused.add(socket);
    report(code, error, socket);
    const answer = (): void => {
      if (socket.writable) endWithLinger(socket, rawErrorResponse(code, render));
    };
    const pending = pendingResponse(socket);
    if (!pending) answer();
    // The current request is complete, so the malformed input came after it: respond in that order.
    else if (pending.req.complete) pending.once('close', answer);
    // The body of the current request is malformed. Respond unless a response has started.
    else if (pending.headersSent) pending.once('close', () => socket.destroySoon());
    else answer();
  };
}

/** CONNECT asks for a tunnel. Node would close the connection without a response. */
export function refuseTunnels(server: Server, code: RefusalCode, render: RenderError): void {
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    endWithLinger(socket, rawErrorResponse(code, render));
  });
}

/** Node handles `Expect: 100-continue`. Other expectations may be ignored; Node would reject them without a body. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Also called for failed TLS handshakes and broken connections, where no response can be sent. */
function errorCodeOf(error: Error): ClientError | undefined {
  const code = systemCode(error) ?? '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT';
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  return code.startsWith('HPE_') ? 'BAD_REQUEST' : undefined;
}

/** Node stores the response that a socket waits for in a property missing from its types. */
export function pendingResponse(socket: Socket): ServerResponse | undefined {
  const message: unknown = Reflect.get(socket, '_httpMessage');
  return message instanceof ServerResponse ? message : undefined;
}

import { type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastifyPlugin from 'fastify-plugin';
import { ApiError, type ErrorCode } from '../domain/errors.ts';
import { DEFAULT_LOCALE, type Locale } from '../domain/locale.ts';
import { systemCode } from '../secrets/files.ts';

/** The status and the body of an error. Passed in by the server, so that these answers equal the API's. */
export type RenderError = (code: ErrorCode, locale: Locale) => { status: number; body: string };

/** The headers of an answer that ends its connection. */
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

/** A whole answer as text, for sockets that have no request to answer through. English: nothing was read that says otherwise. */
export function rawErrorAnswer(code: ErrorCode, render: RenderError): string {
  const { status, body } = render(code, DEFAULT_LOCALE);
  const headers = Object.entries(closingHeaders(body, DEFAULT_LOCALE)).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('')}\r\n${body}`;
}

const LINGER_MS = 1000;

/**
 * Says the last words and closes. The socket is read on for a moment: closing it while the client still sends
 * would reset the connection, and a reset can destroy the answer before the client has read it.
 */
export function endWithLinger(socket: Socket, lastWords: string): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(lastWords);
  socket.resume();
}

export type ClientErrorHandler = (error: Error, socket: Socket) => void;

/**
 * Answers what Node cannot read as a request: malformed HTTP, too many headers, a request that never ends. Node
 * reports the same socket again for whatever else it sends, hence the check whether we have spoken already.
 */
export function createClientErrorHandler(render: RenderError): ClientErrorHandler {
  return (error, socket) => {
    const code = errorCodeOf(error);
    if (code === undefined || !socket.writable) {
      if (!socket.writableEnded) socket.destroy();
      return;
    }
    const answer = (): void => {
      if (socket.writable) endWithLinger(socket, rawErrorAnswer(code, render));
    };
    const pending = pendingResponse(socket);
    if (!pending) answer();
    // The request under way is whole, so what is malformed came after it: the answers keep that order.
    else if (pending.req.complete) pending.once('close', answer);
    // Its own body is malformed. An answer that has begun is the answer; else nobody will ever give one.
    else if (pending.headersSent) pending.once('close', () => socket.destroySoon());
    else answer();
  };
}

/** CONNECT asks for a tunnel. Node would cut the connection without a word. */
export function refuseTunnels(server: Server, code: ErrorCode, render: RenderError): void {
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    endWithLinger(socket, rawErrorAnswer(code, render));
  });
}

/** `Expect: 100-continue` is Node's business. Any other expectation may be ignored, and Node would refuse it without a body. */
export function ignoreExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** HTTP/1.1 asks for a Host header in every request. */
export const requireHost = fastifyPlugin((app, _options, done) => {
  app.addHook('onRequest', (request, _reply, next) => {
    const isMissing = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    next(isMissing ? new ApiError('BAD_REQUEST') : undefined);
  });
  done();
});

/** Failed TLS handshakes and broken connections arrive here too: nobody is there who could read an answer. */
function errorCodeOf(error: Error): ErrorCode | undefined {
  const code = systemCode(error) ?? '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT';
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE';
  return code.startsWith('HPE_') ? 'BAD_REQUEST' : undefined;
}

/** Node keeps the response that a socket is waiting for in a property its types do not show. */
export function pendingResponse(socket: Socket): ServerResponse | undefined {
  const message: unknown = Reflect.get(socket, '_httpMessage');
  return message instanceof ServerResponse ? message : undefined;
}

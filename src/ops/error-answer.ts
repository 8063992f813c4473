import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../domain/errors.ts';
import { DEFAULT_LOCALE, type Locale } from '../domain/locale.ts';

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

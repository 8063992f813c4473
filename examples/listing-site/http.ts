/** What the pages need of `node:http`. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Html } from './pages.ts';

const MAX_FORM_BYTES = 4096;

/** Shown to the visitor with this status. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_FORM_BYTES) throw new HttpError(413, 'This form is too long.');
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}

/** Browsers say where a form comes from. Otherwise another site could make its visitors vote here. */
export function isOwnForm({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === undefined || URL.parse(headers.origin)?.host === headers.host;
}

/**
 * The address of the visitor, for the limits per network. Behind a reverse proxy every connection comes from the proxy,
 * which adds the visitor's address to the end of `X-Forwarded-For`; what precedes it was sent by the visitor.
 */
export function visitorAddress(
  request: IncomingMessage,
  trustedProxy: string | undefined,
): string | undefined {
  const { remoteAddress } = request.socket;
  if (remoteAddress === undefined || remoteAddress !== trustedProxy) return remoteAddress;
  return request.headersDistinct['x-forwarded-for']?.at(-1)?.split(',').at(-1)?.trim() ?? remoteAddress;
}

export function sendPage(response: ServerResponse, status: number, page: Html): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'x-content-type-options': 'nosniff',
  });
  response.end(page.text);
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}

export async function sendFile(response: ServerResponse, name: string, type: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, 'public', name));
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' });
  response.end(text);
}

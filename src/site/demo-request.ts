/** Demo features are only for browsers on the same machine. */
import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../domain/address.ts';

/** Added by proxies; browsers never send them. */
const PROXY_HEADER = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/;

/** Whether this request may use demo features. `isDemo` means that the service was started as a demo. */
export function isDemoRequest(request: FastifyRequest, { isDemo }: { isDemo: boolean }): boolean {
  return isDemo && !isFromOutside(request);
}

/**
 * Whether the request may come from another machine, although it arrived over loopback under a loopback name, as a
 * default `proxy_pass` forwards it. nginx adds no header by itself, but older versions use HTTP/1.0, which no browser
 * does; and a form still carries the visitor's `Origin`.
 */
export function isFromOutside({ headers, raw }: FastifyRequest): boolean {
  if (raw.httpVersion === '1.0' || isForeign(headers.origin)) return true;
  return Object.keys(headers).some((name) => PROXY_HEADER.test(name));
}

function isForeign(origin: string | undefined): boolean {
  const url = origin === undefined ? null : URL.parse(origin);
  return url !== null && !isLoopbackHost(url.hostname);
}

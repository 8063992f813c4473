import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../domain/address.ts';

/** Added by proxies; browsers never send them. */
const PROXY_HEADER = /^(?:forwarded|via|x-real-ip|x-forwarded-.+)$/;

/** Whether this request gets what exists in the demo only. `isDemo` says that the service was started as one. */
export function isDemoRequest(request: FastifyRequest, { isDemo }: { isDemo: boolean }): boolean {
  return isDemo && !isFromOutside(request);
}

/**
 * Whether somebody beyond this machine may be behind the request, although it came over loopback under a loopback
 * name: that is all a default `proxy_pass` leaves of a stranger's request. nginx adds no header by itself, but its
 * older versions speak HTTP/1.0 to an upstream, which no browser does; and a form still carries the visitor's `Origin`.
 */
export function isFromOutside({ headers, raw }: FastifyRequest): boolean {
  if (raw.httpVersion === '1.0' || isForeign(headers.origin)) return true;
  return Object.keys(headers).some((name) => PROXY_HEADER.test(name));
}

function isForeign(origin: string | undefined): boolean {
  const url = origin === undefined ? null : URL.parse(origin);
  return url !== null && !isLoopbackHost(url.hostname);
}

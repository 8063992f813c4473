/**
 * Node parses 35 methods, and routes exist for eight of them. All others share the place of one in the router, because a
 * place per method and path takes 5 to 8 % of the CPU time of a start (docs/decisions/0041-a-bundle.md).
 */
import type { IncomingMessage } from 'node:http';

const SENT_METHOD = Symbol('sentMethod');

declare module 'node:http' {
  interface IncomingMessage {
    /** Of a request that is routed by another method. */
    [SENT_METHOD]?: string | undefined;
  }
}

/** Stands for every method that is not listed below. */
export const OTHER_METHOD = 'PROPFIND';

/** CONNECT never reaches a route: client-errors.ts handles it. */
export const ROUTED_METHODS: readonly string[] = [
  ...['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'],
  OTHER_METHOD,
];

/** Must run before the request is routed. */
export function chooseRoutedMethod(request: IncomingMessage): void {
  const { method = '' } = request;
  if (ROUTED_METHODS.includes(method)) return;
  request[SENT_METHOD] = method;
  request.method = OTHER_METHOD;
}

/** The method that the client sent, for logs. */
export function sentMethod(request: IncomingMessage): string {
  return request[SENT_METHOD] ?? request.method ?? '';
}

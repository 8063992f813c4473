import type { ServerResponse } from 'node:http';

declare module 'node:http' {
  interface ServerResponse {
    /** What `end` writes before the body, as after `writeHead`. Not documented. */
    _header: string | null;
  }
}

/**
 * Sends a response with status 200 whose head is already text. Node validates and joins headers one by one, which takes
 * as long as the rest of a vote check; it has no public way to pass them as a whole. See
 * docs/decisions/0038-plain-vote-checks.md. `body` is ASCII, and the head contains its length.
 *
 * Returns whether all of it was sent at once. Otherwise `finish` or `error` is emitted later, unless the client has left.
 */
export function sendPrepared(response: ServerResponse, head: string, body: string): boolean {
  response._header = head;
  response.end(body, 'latin1');
  const { socket } = response;
  return socket !== null && socket.writableLength === 0 && socket.errored === null && !socket.destroyed;
}

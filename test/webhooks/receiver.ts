/**
 * A real webhook receiver on this machine, and a fixture that sends to it with its own clock.
 *
 *   const receiver = await startReceiver();
 *   receiver.answer = (_request, response) => response.writeHead(503).end();
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';

export type Received = { headers: Record<string, string>; body: string; path: string };

export type Receiver = {
  url: string;
  received: Received[];
  answer: (request: Received, response: ServerResponse) => void;
  /** Resolves when this many have been received in total. */
  untilReceived(count: number): Promise<void>;
};

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

export function startReceiver(): Promise<Receiver> {
  return start(createServer(), 'http');
}

/** Over TLS, with the given certificate. */
export function startTlsReceiver(certificate: { cert: string; key: string }): Promise<Receiver> {
  return start(createHttpsServer(certificate), 'https');
}

async function start(server: Server, protocol: string): Promise<Receiver> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // With all files in one process, `after` runs only when nothing else keeps the process alive.
  server.unref();
  const waiting: { count: number; resolve: () => void }[] = [];
  const receiver: Receiver = {
    url: `${protocol}://127.0.0.1:${portOf(server)}/hook`,
    received: [],
    answer: (_request, response) => response.end('thank you'),
    untilReceived(count) {
      if (receiver.received.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
  };
  server.on('request', async (request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]));
    const body = await text(request);
    const received = { headers, body, path: request.url ?? '' };
    receiver.received.push(received);
    for (const { count, resolve } of waiting) if (receiver.received.length >= count) resolve();
    receiver.answer(received, response);
  });
  return receiver;
}

export function portOf(server: Server): number {
  const address = server.address();
  return isAddressInfo(address) ? address.port : 0;
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** Only the status. */
export function answerWith(status: number, headers: Record<string, string> = {}): Receiver['answer'] {
  return (_request, response) => response.writeHead(status, headers).end();
}

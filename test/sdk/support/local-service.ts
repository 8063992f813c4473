/**
 * A real HTTPS server on this machine whose responses a test defines, trusted by this process only.
 *
 *   const service = await startLocalService(() => ({ body: VOTED }));
 *   const votary = new Votary({ apiKey: KEY, baseUrl: service.url });
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { after } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';

export const KEY = 'vty_0123456789012345678901234567890123456';

export type Reply =
  | { status?: number; body?: unknown; headers?: Record<string, string> }
  /** Closes the connection without a response. */
  | 'cut'
  /** Never responds. */
  | 'silence';

export type SeenRequest = { method: string; url: URL; headers: IncomingHttpHeaders };

export type LocalService = {
  url: string;
  requests: SeenRequest[];
  /** The number of connections, with or without a request. */
  connections(): number;
  /** Resolves when this many requests have arrived. */
  untilRequested(count: number): Promise<void>;
  /** Resolves when a client has aborted a request without a response. */
  untilLeft(): Promise<void>;
};

export type Certificate = { cert: string; key: string };

export const trustedCertificate = await makeCertificate();
trust(trustedCertificate);

export async function startLocalService(
  reply: (request: SeenRequest, count: number) => Reply | Promise<Reply>,
  certificate = trustedCertificate,
): Promise<LocalService> {
  const requests: SeenRequest[] = [];
  const arrivals = new EventTarget();
  let connections = 0;
  const server = createServer(certificate, async (request, response) => {
    const seen = {
      method: request.method ?? '',
      url: new URL(request.url ?? '', 'https://localhost'),
      headers: request.headers,
    };
    requests.push(seen);
    response.once('close', () => response.writableEnded || arrivals.dispatchEvent(new Event('left')));
    arrivals.dispatchEvent(new Event('request'));
    answer(response, await reply(seen, requests.length));
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  return {
    url: `https://127.0.0.1:${address.port}`,
    requests,
    connections: () => connections,
    untilRequested: async (count) => {
      while (requests.length < count) await once(arrivals, 'request');
    },
    untilLeft: async () => {
      await once(arrivals, 'left');
    },
  };
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'silence') return;
  if (reply === 'cut') {
    response.destroy();
    return;
  }
  const { status = 200, body, headers = {} } = reply;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(text);
}

export async function makeCertificate({ ip = '127.0.0.1', notAfterDate = new Date('2100-01-01') } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  // Two trusted certificates with the same name would be confused.
  const { cert } = await generate([{ name: 'commonName', value: `a test of the SDK ${randomUUID()}` }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date('2020-01-01'),
    notAfterDate,
    keyPair: { privateKey: key, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
  });
  return { cert, key };
}

/** In this process, with the same effect as NODE_EXTRA_CA_CERTS. */
export function trust({ cert }: Certificate): void {
  setDefaultCACertificates([...getCACertificates('default'), cert]);
}

import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { ConnectionEvent } from '../../../src/http/slow-readers.ts';
import { loadCertificate, tlsOptions } from '../../../src/secrets/certificate.ts';
import { portOf, testConfig } from '../support.ts';

export type Listening = {
  port: number;
  /** A connection that sends HTTP as soon as it is written to. Reads nothing until told to. */
  open(options?: { localAddress?: string }): Socket;
};

export type TestTransport = {
  name: string;
  event: ConnectionEvent;
  make(t: TestContext): Promise<Server>;
  listen(t: TestContext, server: Server): Promise<Listening>;
};

function transport(
  name: string,
  event: ConnectionEvent,
  openSocket: (options: TcpNetConnectOpts) => Socket,
  make: TestTransport['make'],
) {
  const listen: TestTransport['listen'] = async (t, server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const sockets: Socket[] = [];
    t.after(async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    });
    const port = portOf(server);
    return {
      port,
      open: (options = {}) => {
        const socket = openSocket({ port, host: '127.0.0.1', ...options });
        sockets.push(socket.on('error', () => {}));
        return socket;
      },
    };
  };
  return { name, event, make, listen };
}

/** As the service configures it: completion of a request without a body is detected differently. */
const OPTIONS = { optimizeEmptyRequests: true };

/** The two ways in which the service serves HTTP: with its own TLS, and plain to a proxy. */
export const TRANSPORTS: readonly TestTransport[] = [
  transport('plain', 'connection', connect, async () => createServer(OPTIONS)),
  transport(
    'TLS',
    'secureConnection',
    (options) => connectTls({ ...options, rejectUnauthorized: false }),
    async (t) => {
      const certificate = await loadCertificate(await testConfig(t), Date.now());
      return createHttpsServer({ ...OPTIONS, ...tlsOptions(certificate), allowHalfOpen: true });
    },
  ),
];

export const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once('close', () => resolve()));

const HEAD = /^HTTP\/1\.1 200 .*\r\n(?:.+\r\n)*?content-length: (\d+)\r\n(?:.+\r\n)*\r\n/i;

/** Reads this many responses, or as many as arrive before the connection ends, and returns their bodies. */
export async function readBodies(socket: Socket, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const bodies: string[] = [];
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    for (let match = HEAD.exec(text); match; match = HEAD.exec(text)) {
      const [head, length] = match;
      const end = head.length + Number(length);
      if (text.length < end) break;
      bodies.push(text.slice(head.length, end));
      text = text.slice(end);
    }
    if (bodies.length >= count) break;
  }
  return bodies;
}

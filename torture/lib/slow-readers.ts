/** Clients that request much and read nothing, each on its own TLS connection. */
import { connect, type TLSSocket } from 'node:tls';

export type SlowReaders = { close(): void };

/** Concurrent handshakes: the requests should keep the server busy, not the handshakes. */
const OPENING_AT_ONCE = 20;

/** Resolves when this many have sent their requests. */
export async function openSlowReaders(port: number, count: number, requests: string): Promise<SlowReaders> {
  const sockets: TLSSocket[] = [];
  const open = async (): Promise<void> => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }).pause();
    sockets.push(socket.on('error', () => {}));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.once('close', () => reject(new Error('a slow reader was not let in')));
    socket.once('secureConnect', () => {
      socket.write(requests);
      resolve();
    });
    await promise;
  };
  while (sockets.length < count) {
    await Promise.all(Array.from({ length: Math.min(OPENING_AT_ONCE, count - sockets.length) }, open));
  }
  return {
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

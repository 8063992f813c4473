/** A proxy to the database that can be slowed down or cut. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export type TcpProxy = {
  port: number;
  /** How long every chunk of data is delayed, in both directions. */
  delayMs: number;
  /** Closes every connection. */
  cutAll(): void;
  close(): void;
};

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const proxy: TcpProxy = {
    port: 0,
    delayMs: 0,
    cutAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => {
      proxy.cutAll();
      server.close();
    },
  };
  const track = (socket: Socket, other: Socket) => {
    // In order: a shorter delay must not let later data overtake earlier data.
    let passedOn = Promise.resolve();
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      passedOn.then(() => other.destroy());
    });
    socket.on('data', (chunk) => {
      const dueAt = performance.now() + proxy.delayMs;
      passedOn = passedOn.then(() => passOn(chunk, other, dueAt));
    });
  };
  const server = createServer((incoming) => {
    const outgoing = connect(targetPort, '127.0.0.1');
    track(incoming, outgoing);
    track(outgoing, incoming);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  proxy.port = typeof address === 'object' && address !== null ? address.port : 0;
  return proxy;
}

async function passOn(chunk: Buffer | string, to: Socket, dueAt: number): Promise<void> {
  const waitMs = dueAt - performance.now();
  if (waitMs > 0) await pause(waitMs);
  if (to.writable) to.write(chunk);
}

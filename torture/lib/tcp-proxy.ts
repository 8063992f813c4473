/** A road to the database that can be made slow, or be cut. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type TcpProxy = {
  port: number;
  /** How long every piece of data is held back, either way. */
  delayMs: number;
  /** Ends every connection there is. */
  cutAll(): void;
  countOpen(): number;
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
    countOpen: () => sockets.size / 2,
    close: () => {
      proxy.cutAll();
      server.close();
    },
  };
  const track = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
    socket.on('data', (chunk) => {
      if (proxy.delayMs === 0) other.write(chunk);
      else setTimeout(() => other.writable && other.write(chunk), proxy.delayMs);
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

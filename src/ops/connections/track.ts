import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, also those in their TLS handshake, which Node's own list leaves out. */
export type Connections = { destroyAll(): void };

/** Must be called before the server listens. */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

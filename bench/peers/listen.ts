import { once } from 'node:events';
import type { Server } from 'node:http';

/** As long as Votary keeps them: connections stay open while the other servers of a round are loaded. */
const KEEP_ALIVE_MS = 65_000;

/** Listens on a free loopback port and returns the URL. */
export async function listenAnywhere(server: Server, scheme: 'http' | 'https' = 'http'): Promise<string> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port to listen on');
  return `${scheme}://127.0.0.1:${address.port}`;
}

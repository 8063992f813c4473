import { once } from 'node:events';
import type { Server } from 'node:http';

/** Listens on a free loopback port and returns the URL. */
export async function listenAnywhere(server: Server, scheme: 'http' | 'https' = 'http'): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port to listen on');
  return `${scheme}://127.0.0.1:${address.port}`;
}

import { once } from 'node:events';
import { createServer } from 'node:net';

/** A free port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  await server[Symbol.asyncDispose]();
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}

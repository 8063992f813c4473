import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** A local webhook receiver that accepts everything and records whose votes it received. */
export type Receiver = { url: string; users: Set<string>; deliveries(): number; close(): Promise<void> };

export async function startReceiver(): Promise<Receiver> {
  const users = new Set<string>();
  let deliveries = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => '');
    response.writeHead(204).end();
    deliveries += 1;
    const userId = /"user_id":"(\d+)"/.exec(body)?.[1];
    if (userId) users.add(userId);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/votes`,
    users,
    deliveries: () => deliveries,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

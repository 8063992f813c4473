/**
 * One PostgreSQL server for a whole test run: node --test --test-global-setup=test/support/global-setup.ts …
 * It starts when the first test asks for a database, so a run that needs none does not wait for it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { SERVER_URL_VARIABLE } from './postgres.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

let server: Promise<PostgresServer> | undefined;

/** Starts PostgreSQL on the first request and returns its address to every request. */
const starter = createServer((_request, response) => {
  server ??= startPostgresServer();
  server.then(
    ({ url }) => response.end(url),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

export async function globalSetup(): Promise<void> {
  // Unreferenced, so that a run in one process can end while it listens.
  starter.listen(0, '127.0.0.1').unref();
  await once(starter, 'listening');
  const address = starter.address();
  if (address === null || typeof address === 'string') throw new Error('no port to listen on');
  // The runner starts every test file as a child process, which inherits this.
  process.env[SERVER_URL_VARIABLE] = `http://127.0.0.1:${address.port}`;
}

export async function globalTeardown(): Promise<void> {
  starter.closeAllConnections();
  starter.close();
  await (await server?.catch(() => undefined))?.remove();
}

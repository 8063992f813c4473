/**
 * One PostgreSQL server for a whole test run. It starts when the first test requests a database, so a run that needs
 * none does not wait for it.
 *
 *   const postgres = await offerPostgres();
 *   spawn('node', ['--test', ...], { env: { [SERVER_URL_VARIABLE]: postgres.url } });
 *   await postgres.close();
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createTemplate, TEMPLATE_PATH } from './postgres.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

export async function offerPostgres(): Promise<{ url: string; close(): Promise<void> }> {
  let server: Promise<PostgresServer> | undefined;
  let template: Promise<string> | undefined;
  const startedUrl = async () => {
    server ??= startPostgresServer();
    return (await server).url;
  };
  const templateUrl = () => {
    template ??= startedUrl().then(createTemplate);
    return template;
  };
  /** Starts PostgreSQL on the first request and returns its address, or that of the template, to every request. */
  const starter = createServer((request, response) => {
    // A test process that is busy for seconds would send its next request on a connection that was closed as idle.
    response.setHeader('Connection', 'close');
    (request.url === TEMPLATE_PATH ? templateUrl() : startedUrl()).then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  starter.listen(0, '127.0.0.1');
  await once(starter, 'listening');
  const address = starter.address();
  if (address === null || typeof address === 'string') throw new Error('no port to listen on');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      starter.closeAllConnections();
      starter.close();
      await (await server?.catch(() => undefined))?.remove();
    },
  };
}

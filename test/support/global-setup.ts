/** One PostgreSQL server for a whole test run: node --test --test-global-setup=test/support/global-setup.ts … */
import { SERVER_URL_VARIABLE } from './postgres.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

let server: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
  server = await startPostgresServer();
  // The runner starts every test file as a child process, which inherits this.
  process.env[SERVER_URL_VARIABLE] = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.remove();
}

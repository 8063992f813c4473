import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** Set by the global setup for all test files. */
export const SERVER_URL_VARIABLE = 'VOTARY_TEST_POSTGRES_URL';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A fresh, empty database on the test run's server, or on the given one. */
export async function createTestDatabase(serverUrl: string = sharedServerUrl()): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOn(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return { url: url.href, drop: () => runOn(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`) };
}

function sharedServerUrl(): string {
  const url = process.env[SERVER_URL_VARIABLE];
  if (url) return url;
  throw new Error(
    'This test needs PostgreSQL. Run it with: ' +
      'npx node --test --test-global-setup=test/support/global-setup.ts <test file>',
  );
}

/** Runs one statement on a connection of its own. */
export async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

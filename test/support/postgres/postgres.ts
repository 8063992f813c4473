import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateDatabase } from '../../../src/store/open.ts';

/** The server's address, or an `http:` URL that starts one and returns its address (shared-postgres.ts). */
export const SERVER_URL_VARIABLE = 'VOTARY_TEST_POSTGRES_URL';
/** The unit tests run without PostgreSQL. */
export const NO_SERVER = 'none';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A fresh, empty database on the test run's server, or on the given one. */
export async function createTestDatabase(givenUrl?: string): Promise<TestDatabase> {
  return create(givenUrl ?? (await sharedServerUrl()), '');
}

let template: Promise<TestDatabase> | undefined;

/** A database with the current schema, copied from one that is migrated once per process: half the time of migrating. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  template ??= createTemplate();
  const { url } = await template;
  return create(await sharedServerUrl(), `TEMPLATE ${new URL(url).pathname.slice(1)} STRATEGY file_copy`);
}

/** Must be called after the last test that calls `createMigratedDatabase`. */
export async function dropTemplate(): Promise<void> {
  await (await template)?.drop();
}

async function createTemplate(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await migrateDatabase({ kind: 'postgres', url: database.url });
  return database;
}

async function create(serverUrl: string, options: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOn(serverUrl, `CREATE DATABASE ${name} ${options}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return {
    url: url.href,
    drop: async () => void (await runOn(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

async function sharedServerUrl(): Promise<string> {
  const url = process.env[SERVER_URL_VARIABLE];
  if (url === NO_SERVER)
    throw new Error('Unit tests run without PostgreSQL: name this file *.integration.test.ts.');
  if (!url) throw new Error('This test needs PostgreSQL. Run it with: npm run t -- <test file>');
  if (!url.startsWith('http:')) return url;
  const response = await fetch(url);
  const answer = await response.text();
  if (!response.ok) throw new Error(`PostgreSQL did not start: ${answer}`);
  return answer;
}

/** Runs one statement on a separate connection and returns its rows. */
export async function runOn(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

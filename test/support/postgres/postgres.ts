import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateDatabase } from '../../../src/store/open.ts';

/** The server's address, or an `http:` URL that starts one and returns its address (shared-postgres.ts). */
export const SERVER_URL_VARIABLE = 'VOTARY_TEST_POSTGRES_URL';
/** Appended to that URL, returns the address of a database with the current schema, for copies of it. */
export const TEMPLATE_PATH = '/template';
/** The unit tests run without PostgreSQL. */
export const NO_SERVER = 'none';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A fresh, empty database on the test run's server, or on the given one. */
export async function createTestDatabase(givenUrl?: string): Promise<TestDatabase> {
  return create(givenUrl ?? (await sharedServerUrl()), 'template1');
}

let template: Promise<string> | undefined;

/** A database with the current schema, copied from one that is migrated once per run: a quarter of the time of migrating. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  template ??= sharedTemplateUrl();
  return create(await sharedServerUrl(), new URL(await template).pathname.slice(1));
}

/** Creates the database that others are copied from, on this server. */
export async function createTemplate(serverUrl: string): Promise<string> {
  const { url } = await createTestDatabase(serverUrl);
  await migrateDatabase({ kind: 'postgres', url });
  return url;
}

async function create(serverUrl: string, source: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const server = connectionsTo(serverUrl);
  // Half the time of the default strategy, which writes every page to the log.
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY file_copy`);
  const url = new URL(serverUrl);
  url.pathname = name;
  return {
    url: url.href,
    drop: async () => void (await server.query(`DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

const servers = new Map<string, pg.Pool>();

/** For creating and dropping databases: connecting takes about as long as either. */
function connectionsTo(serverUrl: string): pg.Pool {
  let pool = servers.get(serverUrl);
  if (!pool) {
    pool = new pg.Pool({ connectionString: serverUrl, max: 4, allowExitOnIdle: true });
    // A server that a test stops ends its sessions.
    pool.on('error', () => {});
    servers.set(serverUrl, pool);
  }
  return pool;
}

async function sharedServerUrl(): Promise<string> {
  const url = process.env[SERVER_URL_VARIABLE];
  if (url === NO_SERVER)
    throw new Error('Unit tests run without PostgreSQL: name this file *.integration.test.ts.');
  if (!url) throw new Error('This test needs PostgreSQL. Run it with: npm run t -- <test file>');
  return url.startsWith('http:') ? ask(url) : url;
}

async function sharedTemplateUrl(): Promise<string> {
  const url = process.env[SERVER_URL_VARIABLE];
  return url?.startsWith('http:') ? ask(`${url}${TEMPLATE_PATH}`) : createTemplate(await sharedServerUrl());
}

async function ask(url: string): Promise<string> {
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

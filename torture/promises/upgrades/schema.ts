/**
 * What a database is made of, line by line, and what it has to be made of at each version.
 *
 *   const expected = await expectedSchemas('sqlite');
 *   const { versions, lines } = await readSchema(site);
 *   isDeepStrictEqual(lines, expected[versions.length]);   // else a migration is half done
 */

import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import { type Migration, readMigrations } from '../../../src/store/maintenance/migrations.ts';
import { migrateDatabase } from '../../../src/store/open.ts';
import { runOn } from '../../../test/support/postgres/postgres.ts';
import { type Kind, makeSite, type Site } from '../../lib/site.ts';

/** `versions` are those that the database says it has; `lines` is what it really has, sorted. */
export type Schema = { versions: number[]; lines: string[] };

/** The table in which a database records its versions. Every line starts with the table it belongs to. */
const HISTORY = 'schema_migrations';
const HISTORY_QUERY = `SELECT version FROM ${HISTORY} ORDER BY version`;

const PATIENCE_MS = 10_000;

const SQLITE_LINES = "SELECT concat_ws(' ', tbl_name, type, name, sql) AS line FROM sqlite_schema";

const POSTGRES_LINES = `
  SELECT concat_ws(' ', table_name, 'column', ordinal_position, column_name, data_type, collation_name, is_nullable,
                   column_default, identity_generation) AS line
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT concat_ws(' ', tablename, indexdef) FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', relname, relkind, relpersistence, reloptions)
  FROM pg_class WHERE relnamespace = 'public'::regnamespace`;

export function migrationsOf(kind: Kind): Migration[] {
  return readMigrations(new URL(`../../../src/store/${kind}/migrations/`, import.meta.url));
}

/** By version, 0 for an empty database: created by applying the migration files one by one. */
export async function expectedSchemas(kind: Kind): Promise<string[][]> {
  const history = (await migratedLines(kind)).filter((line) => line.startsWith(HISTORY));
  const site = await makeSite(kind);
  try {
    const schemas: string[][] = [[]];
    for (const { sql } of migrationsOf(kind)) {
      await execute(site, sql);
      schemas.push([...(await readSchema(site)).lines, ...history].sort());
    }
    return schemas;
  } finally {
    await site.remove();
  }
}

/** Of an empty database that the service itself migrated. */
export async function migratedLines(kind: Kind): Promise<string[]> {
  const site = await makeSite(kind);
  try {
    await migrateDatabase(site.database);
    return (await readSchema(site)).lines;
  } finally {
    await site.remove();
  }
}

export function readSchema({ database, folder }: Site): Promise<Schema> | Schema {
  return database.kind === 'sqlite'
    ? readSqliteCopy(database.path, join(folder, 'looked-at'))
    : readPostgres(database.url);
}

/** Opening a SQLite database changes it, because the log is merged. So a copy of both files is opened. */
function readSqliteCopy(path: string, copy: string): Schema {
  if (!existsSync(path)) return { versions: [], lines: [] };
  cpSync(dirname(path), copy, { recursive: true });
  const db = new Database(join(copy, basename(path)));
  try {
    const lines = db.prepare<[], { line: string }>(SQLITE_LINES).all();
    const versions = hasHistory(lines) ? db.prepare<[], { version: number }>(HISTORY_QUERY).all() : [];
    return toSchema(lines, versions);
  } finally {
    db.close();
    rmSync(copy, { recursive: true });
  }
}

async function readPostgres(url: string): Promise<Schema> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await waitUntilAlone(client);
    const { rows: lines } = await client.query<{ line: string }>(POSTGRES_LINES);
    const versions = hasHistory(lines) ? (await client.query<{ version: number }>(HISTORY_QUERY)).rows : [];
    return toSchema(lines, versions);
  } finally {
    await client.end();
  }
}

/** PostgreSQL takes a moment to notice that a client is gone, and only then rolls back its transaction. */
async function waitUntilAlone(client: pg.Client): Promise<void> {
  const others =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'votary'";
  for (const start = Date.now(); (await client.query(others)).rows.length > 0; await pause(10)) {
    if (Date.now() - start > PATIENCE_MS)
      throw new Error('PostgreSQL keeps the connection of a dead process');
  }
}

function hasHistory(lines: readonly { line: string }[]): boolean {
  return lines.some(({ line }) => line.startsWith(HISTORY));
}

function toSchema(lines: readonly { line: string }[], versions: readonly { version: number }[]): Schema {
  return { lines: lines.map(({ line }) => line).sort(), versions: versions.map(({ version }) => version) };
}

async function execute({ database }: Site, sql: string): Promise<void> {
  if (database.kind === 'postgres') {
    await runOn(database.url, sql);
    return;
  }
  mkdirSync(dirname(database.path), { recursive: true });
  const db = new Database(database.path);
  db.exec(sql);
  db.close();
}

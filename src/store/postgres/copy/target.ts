import type pg from 'pg';
import {
  CopyError,
  type CopyMode,
  type CopyTarget,
  INSERTED_BY_MIGRATIONS,
  NOT_COPIED,
  notBegun,
  notEmpty,
  notFinished,
  refuseNewerSchema,
  refuseOtherSchema,
  type TableShape,
  UNFINISHED_COPY,
  UNFINISHED_VERSION,
} from '../../maintenance/copy.ts';
import { type AppliedMigration, insertionsOf } from '../../maintenance/migrations.ts';
import { NO_TIMEOUT_MS, openClient } from '../connection/client.ts';
import { runTransaction } from '../connection/connection.ts';
import { explainFailure } from '../connection/failures.ts';
import { migratePostgres, POSTGRES_MIGRATIONS, readApplied } from '../migrate.ts';
import { copyIn } from './copy-protocol.ts';
import { createReader, quote } from './reader.ts';
import { removeTimeLimits } from './time-limits.ts';

/** An arbitrary number: one copy at a time writes to a database. */
const COPY_LOCK = 1_987_015_782;

export async function withPostgresTarget<T>(
  url: string,
  mode: CopyMode,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  const client = await openClient(url).catch((error: unknown) => {
    throw explainFailure(url, error);
  });
  try {
    await lock(client);
    await removeTimeLimits(client, 'session');
    await prepare(client, url, mode);
    return await work(targetOf(client));
  } finally {
    await client.end();
  }
}

async function lock(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [
    COPY_LOCK,
  ]);
  if (!rows[0]?.free) throw new CopyError('another copy writes to the target: wait until it has ended');
}

async function prepare(client: pg.Client, url: string, mode: CopyMode): Promise<void> {
  const applied = await readApplied(client);
  const isBegun = applied.some(({ name }) => name === UNFINISHED_COPY);
  if (mode === 'new' && isBegun) throw notFinished();
  if (mode !== 'new' && !isBegun) throw notBegun();
  if (mode === 'resume') return refuseOtherSchema(applied, POSTGRES_MIGRATIONS);
  refuseNewerSchema(applied, POSTGRES_MIGRATIONS);
  if (mode === 'start-over') await discard(client, applied);
  await migratePostgres(url);
  await begin(client);
}

/** From here on, no program opens the database until the copy is complete. */
async function begin(client: pg.Client): Promise<void> {
  const tables = await readerOf(client).tables();
  await transact(client, async () => {
    for (const [name, condition] of Object.entries(INSERTED_BY_MIGRATIONS))
      await client.query(`DELETE FROM ${quote(name)} WHERE ${condition}`);
    for (const { name } of tables) {
      const { rows } = await client.query(`SELECT 1 FROM ${quote(name)} LIMIT 1`);
      if (rows.length > 0) throw notEmpty(name);
    }
    await markUnfinished(client);
    await removeIndexes(client, tables);
  });
}

async function markUnfinished(client: pg.Client): Promise<void> {
  await client.query('CREATE TABLE unfinished_copy (position BIGINT PRIMARY KEY, statement TEXT NOT NULL)');
  await client.query(
    `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible)
     VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, $1)`,
    [UNFINISHED_VERSION, UNFINISHED_COPY],
  );
}

/**
 * Sorting all rows once is faster than adding each of them to every index, and comparing tables once is faster than
 * looking up each reference. Primary keys stay: rows arrive in their order, and references need them.
 */
const REMOVABLE = `
  SELECT format('DROP INDEX %s', pg_index.indexrelid::regclass) AS remove, pg_get_indexdef(pg_index.indexrelid) AS create
  FROM pg_index
  WHERE indrelid = ANY ($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype <> 'f')
  UNION ALL
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE conrelid = ANY ($1::regclass[]) AND contype = 'f'`;

async function removeIndexes(client: pg.Client, tables: readonly TableShape[]): Promise<void> {
  const names = tables.map(({ name }) => quote(name));
  const { rows } = await client.query<{ remove: string; create: string }>(REMOVABLE, [names]);
  for (const [position, { remove, create }] of rows.entries()) {
    await client.query(remove);
    await client.query('INSERT INTO unfinished_copy (position, statement) VALUES ($1, $2)', [
      position,
      create,
    ]);
  }
}

async function readStatements(client: pg.Client): Promise<{ position: number; statement: string }[]> {
  const { rows } = await client.query<{ position: number; statement: string }>(
    'SELECT position, statement FROM unfinished_copy ORDER BY position',
  );
  return rows;
}

async function unmark(client: pg.Client): Promise<void> {
  await client.query('DELETE FROM schema_migrations WHERE version = $1', [UNFINISHED_VERSION]);
  await client.query('DROP TABLE unfinished_copy');
}

/** Leaves a database as the migrations made it. */
async function discard(client: pg.Client, applied: readonly AppliedMigration[]): Promise<void> {
  const tables = await readerOf(client).tables();
  await transact(client, async () => {
    await client.query(`TRUNCATE ${tables.map(({ name }) => quote(name)).join(', ')}`);
    for (const { statement } of await readStatements(client)) await client.query(statement);
    for (const statement of insertionsOf(applied, POSTGRES_MIGRATIONS)) await client.query(statement);
    await unmark(client);
  });
}

function transact(client: pg.Client, work: () => Promise<void>): Promise<void> {
  return runTransaction(client, work, NO_TIMEOUT_MS);
}

function readerOf(client: pg.Client) {
  return createReader(client, Object.keys(NOT_COPIED));
}

function targetOf(client: pg.Client): CopyTarget {
  return {
    ...readerOf(client),
    async write({ name, columns }, lines) {
      const names = columns.map((column) => quote(column.name)).join(', ');
      await copyIn(client, `COPY ${quote(name)} (${names}) FROM STDIN`, lines);
    },
    async rebuild(onStep) {
      for (const { position, statement } of await readStatements(client)) {
        await transact(client, async () => {
          await client.query(`SET LOCAL maintenance_work_mem = '${INDEX_MEMORY}'`);
          await client.query(statement);
          await client.query('DELETE FROM unfinished_copy WHERE position = $1', [position]);
        });
        onStep(1);
      }
      await client.query('ANALYZE');
    },
    async finish(now) {
      await transact(client, async () => {
        if ((await readStatements(client)).length > 0)
          throw new CopyError('the indexes of the target are incomplete');
        await continueIdentities(client);
        // Later than any earlier epoch, even if the clock was set back.
        await client.query(
          'INSERT INTO feed_epochs (epoch) SELECT greatest($1::bigint, coalesce(max(epoch), 0) + 1) FROM feed_epochs',
          [now],
        );
        await unmark(client);
      });
    },
  };
}

const INDEX_MEMORY = '256MB';

/** Rows were copied with their numbers. The next ones continue after them. */
async function continueIdentities(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table_name: string; column_name: string }>(
    `SELECT attrelid::regclass::text AS table_name, attname AS column_name
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE attidentity <> '' AND relnamespace = to_regnamespace(current_schema())`,
  );
  for (const { table_name: table, column_name: column } of rows) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), coalesce(max(${quote(column)}), 0) + 1, false) FROM ${table}`,
      [table, column],
    );
  }
}

import type pg from 'pg';
import {
  CopyError,
  type CopySource,
  NOT_COPIED,
  outdatedSource,
  serviceRuns,
  type TableReader,
} from '../../maintenance/copy.ts';
import { isCurrent } from '../../maintenance/migrations.ts';
import { refuseForeign } from '../../maintenance/schema-history.ts';
import { openClient } from '../connection/client.ts';
import { explainFailure } from '../connection/failures.ts';
import { POSTGRES_MIGRATIONS, readApplied, readColumns } from '../migrate.ts';
import { countOthers } from '../others.ts';
import { createReader } from './reader.ts';
import { removeTimeLimits } from './time-limits.ts';

export async function withPostgresSource<T>(
  url: string,
  isLive: boolean,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  const client = await openSource(url);
  try {
    const source = await sourceOf(client, isLive);
    await source.refuseService();
    return await work(source);
  } finally {
    await client.end();
  }
}

async function openSource(url: string): Promise<pg.Client> {
  let client: pg.Client | undefined;
  try {
    client = await openClient(url);
    const columns = await readColumns(client);
    const applied = await readApplied(client);
    refuseForeign(applied, POSTGRES_MIGRATIONS, columns);
    if (!isCurrent(applied, POSTGRES_MIGRATIONS)) throw outdatedSource();
    return client;
  } catch (error) {
    await client?.end();
    throw error instanceof CopyError ? error : explainFailure(url, error);
  }
}

async function sourceOf(client: pg.Client, isLive: boolean): Promise<CopySource> {
  let snapshot = await beginSnapshot(client);
  const reader: TableReader = createReader(client, Object.keys(NOT_COPIED));
  return {
    ...reader,
    async refresh() {
      await client.query('COMMIT');
      const before = snapshot;
      snapshot = await beginSnapshot(client);
      return snapshot !== before;
    },
    async refuseService() {
      // Within a transaction, the list of connections is read once.
      await client.query('SELECT pg_stat_clear_snapshot()');
      if (!isLive && (await countOthers(client)) > 0) throw serviceRuns('is connected to the database');
    },
  };
}

/**
 * The transaction sees one state. The text names every transaction that it does not see, of any database of the server:
 * if it is the same later, nothing was written.
 */
async function beginSnapshot(client: pg.Client): Promise<string> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL bytea_output = 'hex'");
  await removeTimeLimits(client, 'transaction');
  const { rows } = await client.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot');
  return rows[0]?.snapshot ?? '';
}

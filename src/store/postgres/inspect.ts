import type pg from 'pg';
import { createFingerprintStore } from '../fingerprint.ts';
import { isCompatible, newestVersion, schemaVersionOf } from '../maintenance/migrations.ts';
import { type DatabaseReport, writeProblemOf } from '../maintenance/report.ts';
import { findForeign } from '../maintenance/schema-history.ts';
import { probeWrite } from './connection/connection.ts';
import { explainUnavailable } from './connection/failures.ts';
import { createStatements } from './database.ts';
import { POSTGRES_MIGRATIONS, readApplied, readColumns, withClient } from './migrate.ts';

/** For `votary doctor`. Throws `StoreOpenError`. */
export async function inspectPostgres(url: string): Promise<DatabaseReport> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<Inspected>(INSPECT);
    const [found] = rows;
    const fingerprint = found?.has_fingerprint
      ? await createFingerprintStore(createStatements(client)).find()
      : undefined;
    const columns = await readColumns(client);
    const applied = await readApplied(client);
    return {
      product: `PostgreSQL ${found?.version}`,
      schemaVersion: schemaVersionOf(applied),
      newestVersion: newestVersion(POSTGRES_MIGRATIONS),
      isCompatible: isCompatible(applied, POSTGRES_MIGRATIONS),
      foreignReason: findForeign(applied, POSTGRES_MIGRATIONS, columns) ?? null,
      writeProblem: found?.has_probes
        ? await findWriteProblem(client)
        : found?.is_read_only
          ? 'read-only'
          : null,
      now: found?.now ?? null,
      fingerprint: fingerprint ?? null,
    };
  });
}

/** Runs last: a transaction that fails ends with the connection. */
async function findWriteProblem(client: pg.Client): Promise<DatabaseReport['writeProblem']> {
  try {
    await probeWrite(client);
    return null;
  } catch (error) {
    return writeProblemOf(explainUnavailable(error));
  }
}

type Inspected = {
  version: string;
  is_read_only: boolean;
  now: number;
  has_fingerprint: boolean;
  has_probes: boolean;
};

const INSPECT = `
  SELECT current_setting('server_version') AS version,
    current_setting('transaction_read_only') = 'on' AS is_read_only,
    to_regclass('write_probes') IS NOT NULL AS has_probes,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
    to_regclass('master_secret') IS NOT NULL AS has_fingerprint`;

import { isCompatible, newestVersion, schemaVersionOf } from '../maintenance/migrations.ts';
import { type DatabaseReport, writeProblemOf } from '../maintenance/report.ts';
import { findForeign } from '../maintenance/schema-history.ts';
import {
  type Connection,
  explainFailure,
  explainUnavailable,
  openExisting,
  probeWrite,
} from './connection.ts';
import { readApplied, readColumns, SQLITE_MIGRATIONS } from './migrate.ts';

/** For `votary doctor`. Throws `StoreOpenError`. */
export function inspectSqlite(path: string): DatabaseReport {
  const db = openExisting(path);
  try {
    const columns = readColumns(db);
    const applied = readApplied(db);
    const hasFingerprint = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'master_secret'").get();
    return {
      product: `SQLite ${db.prepare<[], string>('SELECT sqlite_version()').pluck().get()}`,
      schemaVersion: schemaVersionOf(applied),
      newestVersion: newestVersion(SQLITE_MIGRATIONS),
      isCompatible: isCompatible(applied, SQLITE_MIGRATIONS),
      foreignReason: findForeign(applied, SQLITE_MIGRATIONS, columns) ?? null,
      writeProblem: findWriteProblem(db),
      now: null,
      fingerprint: hasFingerprint
        ? (db.prepare<[], string>('SELECT fingerprint FROM master_secret').pluck().get() ?? null)
        : null,
    };
  } catch (error) {
    throw explainFailure(path, error);
  } finally {
    db.close();
  }
}

function findWriteProblem(db: Connection): DatabaseReport['writeProblem'] {
  const hasProbes = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'write_probes'").get();
  try {
    if (hasProbes) probeWrite(db);
    else db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return null;
  } catch (error) {
    return writeProblemOf(explainUnavailable(error));
  }
}

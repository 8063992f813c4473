import { readdirSync, readFileSync } from 'node:fs';
import { StoreOpenError } from '../store.ts';

/** One numbered .sql file. `name` is the file name without its extension: `0001-schema`. */
export type Migration = { version: number; name: string; sql: string };

/** The result of a migration run, with the schema version of the database. */
export type MigrationResult = { applied: string[]; version: number };

/** What can be seen of a database without changing it. Versions are 0 before the first migration. */
export type DatabaseReport = {
  /** `SQLite 3.50.4`, `PostgreSQL 18.1` */
  product: string;
  schemaVersion: number;
  newestVersion: number;
  isWritable: boolean;
  /** The clock of the server; null where it is this machine's. */
  now: number | null;
  fingerprint: string | null;
};

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

/** The migrations of a folder, in the order they are applied. */
export function readMigrations(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => FILE_NAME.test(file));
  return files.sort().map((file) => ({
    version: Number(file.slice(0, 4)),
    name: file.slice(0, -'.sql'.length),
    sql: readFileSync(new URL(file, folder), 'utf8'),
  }));
}

export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Whether every migration was applied. The latest version is not enough: branches can be merged in any order. */
export function isCurrent(applied: readonly number[], migrations: readonly Migration[]): boolean {
  return migrations.every(({ version }) => applied.includes(version));
}

/** An older program must not write to a newer schema, because it does not know what the rows mean. */
export function refuseNewerSchema(found: number, migrations: readonly Migration[]): void {
  const newest = newestVersion(migrations);
  if (found <= newest) return;
  throw new StoreOpenError(
    `The database has schema version ${found}, but this Votary knows versions up to ${newest}: ` +
      'start a newer Votary, or restore a backup made by this one.',
  );
}

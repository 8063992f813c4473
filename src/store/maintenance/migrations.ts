/** The numbered migrations of a database: reading them, and whether a program can use a schema. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { StoreOpenError } from '../store.ts';

/** One numbered .sql file. */
export type Migration = Omit<AppliedMigration, 'madeBy'> & { hash: string; sql: string };

/** A migration that a database has, as it was recorded there. */
export type AppliedMigration = {
  version: number;
  /** The file name without its extension: `0001-schema`. */
  name: string;
  /**
   * Programs that know this schema version, or a later one, work with the database after the migration. It is stored in
   * the database, because older programs do not have the file.
   */
  oldestCompatible: number;
  /** The hash of the file; null if it was applied before hashes were stored. */
  hash: string | null;
  /** The version of the program that applied it, if known. */
  madeBy: string | null;
};

/** The result of a migration run, with the schema version of the database. */
export type MigrationResult = { applied: string[]; version: number };

/**
 * Marks a migration that older programs are compatible with. Without this line, only programs that know the migration
 * can use the database.
 */
const COMPATIBLE = /^-- oldest-compatible: (\d+)$/m;
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

/** The migrations of a folder, in the order they are applied. */
export function readMigrations(folder: URL): Migration[] {
  const files = readdirSync(folder).filter((file) => FILE_NAME.test(file));
  return files.sort().map((file) => {
    const version = Number(file.slice(0, 4));
    const sql = readFileSync(new URL(file, folder), 'utf8');
    const oldestCompatible = Number(COMPATIBLE.exec(sql)?.[1] ?? version);
    return { version, oldestCompatible, name: file.slice(0, -'.sql'.length), hash: hashMigration(sql), sql };
  });
}

/** Hashes only the statements, so that comments and line breaks may change. */
function hashMigration(sql: string): string {
  return createHash('sha256').update(statementsOf(sql).join(';')).digest('hex');
}

/** Without comments, with single spaces. */
export function statementsOf(sql: string): string[] {
  const lines = sql.split('\n').map((line) => line.split('--', 1)[0] ?? '');
  const statements = lines.join(' ').replaceAll(/\s+/g, ' ').split(';');
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** What the applied migrations inserted into the new database. `INSERT … SELECT` moves rows that there were before. */
export function insertionsOf(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): string[] {
  const versions = new Set(applied.map(({ version }) => version));
  const statements = migrations.flatMap(({ version, sql }) =>
    versions.has(version) ? statementsOf(sql) : [],
  );
  return statements.filter((statement) => /^INSERT INTO \w+ \([^)]*\) VALUES /.test(statement));
}

export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** The version of a database; 0 when no migration was ever applied. */
export function schemaVersionOf(applied: readonly AppliedMigration[]): number {
  return Math.max(0, ...applied.map(({ version }) => version));
}

/** Whether every migration was applied. The latest version is not enough: branches can be merged in any order. */
export function isCurrent(applied: readonly AppliedMigration[], migrations: readonly Migration[]): boolean {
  const versions = new Set(applied.map(({ version }) => version));
  return migrations.every(({ version }) => versions.has(version));
}

/** Whether a migration was applied before hashes were stored. */
export function lacksHashes(applied: readonly AppliedMigration[], migrations: readonly Migration[]): boolean {
  return applied.some(({ version, hash }) => hash === null && version <= newestVersion(migrations));
}

/** Whether a program with these migrations can use the database: each newer migration must allow it. */
export function isCompatible(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): boolean {
  return oldestCompatible(applied, migrations) <= newestVersion(migrations);
}

/** An older program must not write to a schema whose rows it does not understand. */
export function refuseIncompatible(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
  if (isCompatible(applied, migrations)) return;
  throw new StoreOpenError(
    `The database has schema version ${schemaVersionOf(applied)}, which needs a program that knows version ` +
      `${oldestCompatible(applied, migrations)}, but this Votary knows versions up to ${newestVersion(migrations)}: ` +
      'start a newer Votary, or restore a backup made by this one.',
  );
}

function oldestCompatible(applied: readonly AppliedMigration[], migrations: readonly Migration[]): number {
  const newer = applied.filter(({ version }) => version > newestVersion(migrations));
  return Math.max(0, ...newer.map((migration) => migration.oldestCompatible));
}

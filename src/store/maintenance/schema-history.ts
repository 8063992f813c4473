/**
 * Which migrations made a database. Their names and hashes are stored in it, so a database that was made by other files
 * under the same numbers is recognized, instead of failing later at a missing column.
 */
import packageJson from '../../../package.json' with { type: 'json' };
import { StoreOpenError } from '../store.ts';
import { UNFINISHED_COPY } from './copy.ts';
import {
  type AppliedMigration,
  type Migration,
  newestVersion,
  refuseIncompatible,
  statementsOf,
} from './migrations.ts';

/** Stored with each migration, to name the program that made a database. */
export const PROGRAM_VERSION: string = packageJson.version;

/** The columns of each table. */
export type Columns = ReadonlyMap<string, ReadonlySet<string>>;

/** A row of `schema_migrations`. Before the first release the table had fewer columns. */
export type HistoryRow = {
  version: number;
  name: string;
  oldest_compatible?: number;
  hash?: string | null;
  made_by?: string | null;
};

export function toAppliedMigration(row: HistoryRow): AppliedMigration {
  const { version, name, oldest_compatible: oldestCompatible = version } = row;
  return { version, name, oldestCompatible, hash: row.hash ?? null, madeBy: row.made_by ?? null };
}

/** The database was not made by any Votary. The message does not name the database. */
export class OtherProgramError extends StoreOpenError {}

/**
 * Throws `StoreOpenError` if the database is not one that a program with these migrations can use. `columns` must be read
 * before `applied`, because another process may migrate an empty database in between.
 */
export function refuseForeign(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  columns: Columns,
): void {
  const otherProgram = findOtherProgram(applied, migrations, columns);
  if (otherProgram !== undefined) throw new OtherProgramError(otherProgram);
  const unfinished = findUnfinishedCopy(applied);
  if (unfinished !== undefined) throw new StoreOpenError(unfinished);
  refuseIncompatible(applied, migrations);
  const problem = findForeign(applied, migrations, columns);
  if (problem !== undefined) throw new StoreOpenError(problem);
}

/** Why the database was not made by these migrations, in one line that says what to do. */
export function findForeign(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  columns: Columns,
): string | undefined {
  const otherProgram = findOtherProgram(applied, migrations, columns);
  if (otherProgram !== undefined) return otherProgram;
  const unfinished = findUnfinishedCopy(applied);
  if (unfinished !== undefined) return unfinished;
  const difference = findDifference(applied, migrations, columns);
  if (difference === undefined) return undefined;
  return (
    `The database was made by ${makerOf(applied)}, and this version cannot use it: ${difference}. Export its votes ` +
    'with the version that made it (votary votes export), and import them into a new database.'
  );
}

/** Otherwise a service would run on a part of the votes, and pay claims again that are not there yet. */
function findUnfinishedCopy(applied: readonly AppliedMigration[]): string | undefined {
  if (!applied.some(({ name }) => name === UNFINISHED_COPY)) return undefined;
  return (
    'The database contains an unfinished copy of another one: complete it with votary copy --resume, run with the ' +
    'settings of the original, or use another database.'
  );
}

const HISTORY = 'schema_migrations';

/** Other programs have tables such as `users` and `votes` too, and several frameworks one for migrations of this name. */
function findOtherProgram(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  columns: Columns,
): string | undefined {
  const history = columns.get(HISTORY);
  const isOurs = history === undefined || (history.has('version') && history.has('name'));
  const own = applied.length === 0 ? [...columnsOf(migrations.map(({ sql }) => sql)).keys()] : [];
  const table = isOurs ? own.find((name) => columns.has(name)) : HISTORY;
  if (table === undefined) return undefined;
  return (
    `it belongs to another program, because it has a table ${table} that Votary has not made. Use an empty ` +
    'database, or on PostgreSQL another schema (options=-csearch_path%3DSCHEMA in VOTARY_DATABASE_URL).'
  );
}

/** The newest program that is known to have changed the database. */
function makerOf(applied: readonly AppliedMigration[]): string {
  const madeBy = applied.findLast((migration) => migration.madeBy !== null)?.madeBy;
  if (madeBy) return `Votary ${madeBy}`;
  const isSquashed = applied.some(({ name }) => name === FIRST_SCHEMA);
  return `a version of Votary from before the first release (${isSquashed ? SQUASHED : EARLIEST})`;
}

const FIRST_SCHEMA = '0001-schema';
/** The commits that changed the first migration, which is fixed since. */
const SQUASHED = 'between the commits 14ee598 and 30b3efd';
const EARLIEST = 'before commit 14ee598';

function findDifference(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
  columns: Columns,
): string | undefined {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  const pairs = applied.flatMap((found) => {
    const own = known.get(found.version);
    return own ? [{ found, own }] : [];
  });
  for (const { found, own } of pairs) {
    if (found.name !== own.name) return `its migration ${found.name} is not ${own.name}`;
    if (found.hash !== null && found.hash !== own.hash)
      return `its migration ${found.name} had other contents`;
  }
  if (pairs.every(({ found }) => found.hash !== null)) return undefined;
  // Made before hashes were stored. Newer migrations may have added columns.
  const hasNewer = applied.some(({ version }) => version > newestVersion(migrations));
  const expected = columnsOf(pairs.map(({ own }) => own.sql));
  return compareColumns(expected, columns, hasNewer);
}

function compareColumns(expected: Columns, found: Columns, allowsMore: boolean): string | undefined {
  for (const [table, columns] of expected) {
    const present = found.get(table);
    if (!present) return `it has no table ${table}`;
    const missing = [...columns].find((column) => !present.has(column));
    if (missing !== undefined) return `its table ${table} has no column ${missing}`;
    const unknown = [...present].find((column) => !columns.has(column));
    if (unknown !== undefined && !allowsMore) return `its table ${table} has an unknown column ${unknown}`;
  }
  return undefined;
}

const CREATE_TABLE = /^CREATE (?:UNLOGGED )?TABLE (\w+) \(/;
const ADD_COLUMN = /^ALTER TABLE (\w+) ADD COLUMN (\w+)/;
const CONSTRAINT = /^(?:PRIMARY|FOREIGN|CHECK|UNIQUE|CONSTRAINT|EXCLUDE)\b/;

/** The columns that these migrations make. They only create tables and add columns. */
export function columnsOf(migrations: readonly string[]): Columns {
  const tables = new Map<string, Set<string>>();
  for (const statement of migrations.flatMap(statementsOf)) {
    const [start, created] = CREATE_TABLE.exec(statement) ?? [];
    if (start !== undefined && created !== undefined) {
      const definitions = splitDefinitions(statement.slice(start.length)).filter(
        (definition) => !CONSTRAINT.test(definition),
      );
      tables.set(created, new Set(definitions.map((definition) => definition.split(' ', 1)[0] ?? '')));
    }
    const [, altered, column] = ADD_COLUMN.exec(statement) ?? [];
    if (altered !== undefined && column !== undefined) tables.get(altered)?.add(column);
  }
  return tables;
}

/** What stands between the commas of a list that ends with its closing parenthesis. */
function splitDefinitions(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) break;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

/** Groups rows with the names of a table and one of its columns. */
export function toColumns(rows: readonly { table_name: string; column_name: string }[]): Columns {
  const byTable = Map.groupBy(rows, ({ table_name: table }) => table);
  return new Map([...byTable].map(([table, own]) => [table, new Set(own.map((row) => row.column_name))]));
}

/**
 * Copies every table of one database into another, empty one, of the same or the other kind.
 *
 * Rows travel as lines of text, in the format of PostgreSQL's COPY and in the order of the primary key: that is the
 * format in which PostgreSQL reads and writes rows fastest, and both databases produce the same bytes for the same rows.
 * A checksum of these bytes shows whether two tables are equal.
 *
 * The target has no state of its own for a table: lines are written in order and stored in batches, so the number of
 * rows says where an interrupted copy continues, and the checksums at the end show whether that was right.
 */
import { createHash } from 'node:crypto';
import type { Instant } from '../../domain/clock.ts';
import { type AppliedMigration, type Migration, newestVersion, schemaVersionOf } from './migrations.ts';

/** A table as both databases see it. */
export type TableShape = { name: string; columns: readonly Column[]; key: readonly string[] };

/** Booleans are the numbers 0 and 1. */
export type Column = { name: string; kind: 'text' | 'number' | 'bytes' };

/** Whole lines, each of them a row. */
export type Lines = { bytes: Buffer; rows: number };

/** Tables that are not copied, and why. Every other table is. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  schema_migrations: 'the target has its own history of migrations',
  write_probes: 'written by health checks, read by nobody',
  rate_windows: 'counters of a minute that may be lost, on PostgreSQL only',
  network_accounts: 'counters of an hour that may be lost, on PostgreSQL only',
  unfinished_copy: 'the state of a copy in its target',
};

/** What a migration inserts into a new database. The rows of the source replace it. */
export const INSERTED_BY_MIGRATIONS = { feed_epochs: 'epoch = 0', erasure_key: 'id = 1' } as const;

export interface TableReader {
  tables(): Promise<TableShape[]>;
  count(table: TableShape): Promise<number>;
  /** Every row, ordered by the key of the given shape, in blocks of about this size. */
  read(table: TableShape, blockBytes: number): AsyncIterable<Lines>;
}

/** Reads one consistent state of a database, whatever is written meanwhile. */
export interface CopySource extends TableReader {
  /** Reads the current state from now on. Returns false if nothing can have been written since the previous one. */
  refresh(): Promise<boolean>;
  /** Rejects if a service uses the source now, unless the copy is live. */
  refuseService(): Promise<void>;
}

export interface CopyTarget extends TableReader {
  /** Appends rows; all of them are stored when this resolves, or none. */
  write(table: TableShape, lines: Buffer): Promise<void>;
  /** Creates the indexes and references that `begin` removed. */
  rebuild(onStep: (count: number) => void): Promise<void>;
  /** Starts an epoch of the feed and makes the database usable, at once. */
  finish(now: Instant): Promise<void>;
}

export type CopyMode = 'new' | 'resume' | 'start-over';

export type CopyOptions = {
  mode: CopyMode;
  /** Whether a service may be running on the source. */
  isLive: boolean;
  now: () => Instant;
  /** How much is stored at once. Default: a megabyte. */
  blockBytes?: number;
  onStart?: (step: CopyStep, total: number) => void | Promise<void>;
  onProgress?: (count: number) => void;
};

export type CopyStep = 'copy' | 'compare' | 'rebuild' | 'recheck';

export type CopiedTable = { name: string; rows: number; checksum: string };

/** `changed`: tables of the source that were written while it was copied; only possible if the copy was live. */
export type Copied = { tables: CopiedTable[]; changed: string[] };

/** A copy that is not possible or did not succeed. The message is one line. */
export class CopyError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'CopyError';
  }
}

/** `place` names the source. */
export function serviceRuns(place: string): CopyError {
  return new CopyError(
    `a service ${place}, and what it writes from now on would be lost: stop it, or copy its present state with --live`,
  );
}

export function outdatedSource(): CopyError {
  return new CopyError('the source has an older schema: run votary migrate first');
}

function otherSchema(): CopyError {
  return new CopyError(
    'the target has another schema version than this program: use an empty database, or the program that began the copy',
  );
}

/** A copy is continued by a program with the schema of the one that began it. */
export function refuseOtherSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
  const own = applied.filter(({ name }) => name !== UNFINISHED_COPY);
  if (schemaVersionOf(own) !== newestVersion(migrations)) throw otherSchema();
}

/** An older schema can be migrated before a copy begins. Called before anything is deleted. */
export function refuseNewerSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[],
): void {
  const own = applied.filter(({ name }) => name !== UNFINISHED_COPY);
  if (schemaVersionOf(own) > newestVersion(migrations)) throw otherSchema();
}

export function notEmpty(table: string): CopyError {
  return new CopyError(
    `the target is not empty: its table ${table} has rows, and a copy never replaces any; use an empty database`,
  );
}

export function notFinished(): CopyError {
  return new CopyError(
    'the target contains an unfinished copy: continue it with --resume, or begin again with --start-over',
  );
}

export function notBegun(): CopyError {
  return new CopyError(
    'the target contains no unfinished copy: run the command without --resume and --start-over',
  );
}

export function sameDatabase(): CopyError {
  return new CopyError('the source and the target are the same database: name another one with --to');
}

export const UNFINISHED_COPY = 'unfinished-copy';
/** As the version of a migration: greater than any, so that no program opens the target of an unfinished copy. */
export const UNFINISHED_VERSION = 999_999;

const BLOCK_BYTES = 1_000_000;

/** The parts of the work that read rows. */
type Reading = { blockBytes: number; onProgress: (rows: number) => void };

export async function copyTables(
  source: CopySource,
  target: CopyTarget,
  options: CopyOptions,
): Promise<Copied> {
  const { onStart = () => {}, onProgress = () => {}, blockBytes = BLOCK_BYTES } = options;
  const reading = { blockBytes, onProgress };
  const tables = matchTables(await source.tables(), await target.tables());
  const total = await countRows(source, tables);
  await onStart('copy', total);
  const sent = new Map<string, CopiedTable>();
  for (const table of tables) sent.set(table.name, await copyTable(source, target, table, reading));
  await onStart('compare', total);
  const [different] = await findDifferences(target, tables, sent, reading);
  if (different !== undefined) throw mismatch(different);
  await onStart('rebuild', 0);
  await target.rebuild(onProgress);
  let changed: string[] = [];
  if (await source.refresh()) {
    await onStart('recheck', total);
    changed = await findDifferences(source, tables, sent, reading);
  }
  if (changed.length > 0 && !options.isLive) throw changedMeanwhile(changed);
  // One that was started meanwhile has perhaps written nothing yet.
  await source.refuseService();
  await target.finish(options.now());
  return { tables: [...sent.values()], changed };
}

/** The tables to copy, with the columns in the order of the source. Both must have the same ones. */
export function matchTables(source: readonly TableShape[], target: readonly TableShape[]): TableShape[] {
  const copied = (tables: readonly TableShape[]) =>
    tables.filter(({ name }) => !Object.hasOwn(NOT_COPIED, name));
  const found = new Map(copied(target).map((table) => [table.name, table]));
  const matched = copied(source);
  for (const table of matched) {
    const other = found.get(table.name);
    if (other === undefined || describeColumns(other) !== describeColumns(table) || table.key.length === 0)
      throw new CopyError(`the table ${table.name} is not the same in both databases`);
    found.delete(table.name);
  }
  const [extra] = found.keys();
  if (extra !== undefined) throw new CopyError(`the source has no table ${extra}`);
  return matched;
}

function describeColumns({ columns }: TableShape): string {
  return columns
    .map(({ name, kind }) => `${name} ${kind}`)
    .sort()
    .join();
}

async function countRows(source: TableReader, tables: readonly TableShape[]): Promise<number> {
  let rows = 0;
  for (const table of tables) rows += await source.count(table);
  return rows;
}

async function copyTable(
  source: TableReader,
  target: CopyTarget,
  table: TableShape,
  { blockBytes, onProgress }: Reading,
): Promise<CopiedTable> {
  const stored = await target.count(table);
  const hash = createHash('sha256');
  let rows = 0;
  // The next lines are read while these are being stored.
  let written: Promise<void> = Promise.resolve();
  for await (const lines of source.read(table, blockBytes)) {
    hash.update(lines.bytes);
    const rest = linesAfter(lines, stored - rows);
    rows += lines.rows;
    await written;
    if (rest.length > 0) {
      written = target.write(table, rest);
      // Reported by the next `await`; until then it must not count as unhandled.
      written.catch(() => {});
    }
    onProgress(lines.rows);
  }
  await written;
  if (rows < stored) throw mismatch(table.name);
  return { name: table.name, rows, checksum: hash.digest('hex') };
}

const NEWLINE = 10;

/** What follows the first `count` lines. */
function linesAfter({ bytes, rows }: Lines, count: number): Buffer {
  if (count <= 0) return bytes;
  if (count >= rows) return bytes.subarray(bytes.length);
  let start = 0;
  for (let left = count; left > 0; left -= 1) start = bytes.indexOf(NEWLINE, start) + 1;
  return bytes.subarray(start);
}

/** The tables whose rows are not those that were sent. */
async function findDifferences(
  reader: TableReader,
  tables: readonly TableShape[],
  sent: ReadonlyMap<string, CopiedTable>,
  reading: Reading,
): Promise<string[]> {
  const different: string[] = [];
  for (const table of tables)
    if ((await checksumOf(reader, table, reading)) !== sent.get(table.name)?.checksum)
      different.push(table.name);
  return different;
}

async function checksumOf(
  reader: TableReader,
  table: TableShape,
  { blockBytes, onProgress }: Reading,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const { bytes, rows } of reader.read(table, blockBytes)) {
    hash.update(bytes);
    onProgress(rows);
  }
  return hash.digest('hex');
}

function mismatch(table: string): CopyError {
  return new CopyError(
    `the table ${table} of the target differs from the source: the source was written since the copy began, or it is another one; run the copy again with --start-over while no service uses the source`,
  );
}

function changedMeanwhile(tables: readonly string[]): CopyError {
  return new CopyError(
    `the source was written during the copy (${tables.join(', ')}): stop every service that uses it, then run the copy again with --start-over`,
  );
}

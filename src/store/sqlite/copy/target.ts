import { existsSync } from 'node:fs';
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
import { type Connection, connect, inTransaction } from '../connection.ts';
import { beginEpoch } from '../epochs.ts';
import { withExclusiveFile } from '../exclusive-file.ts';
import { migrateSqlite, readApplied, SQLITE_MIGRATIONS } from '../migrate.ts';
import { quote, rowsOf, type Value } from './lines.ts';
import { createReader } from './reader.ts';

/** Prepares the file, which no other program can open meanwhile. */
export async function withSqliteTarget<T>(
  path: string,
  mode: CopyMode,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  const applied = await readHistory(path);
  const isBegun = applied.some(({ name }) => name === UNFINISHED_COPY);
  if (mode === 'new' && isBegun) throw notFinished();
  if (mode !== 'new' && !isBegun) throw notBegun();
  if (mode === 'resume') refuseOtherSchema(applied, SQLITE_MIGRATIONS);
  else refuseNewerSchema(applied, SQLITE_MIGRATIONS);
  if (mode === 'start-over') await withExclusiveFile(path, discard);
  if (mode !== 'resume') await migrateSqlite(path);
  return withExclusiveFile(path, async (db) => {
    // Rows of one table at a time cannot refer to others yet; the checksums show that all have arrived.
    db.pragma('foreign_keys = OFF');
    db.pragma('synchronous = NORMAL');
    db.pragma(`cache_size = -${CACHE_SIZE_KIB}`);
    db.pragma('threads = 2');
    if (mode !== 'resume') await begin(db);
    return work(targetOf(db));
  });
}

const CACHE_SIZE_KIB = 65_536;

async function readHistory(path: string): Promise<AppliedMigration[]> {
  if (!existsSync(path)) return [];
  const db = connect(path);
  try {
    return readApplied(db);
  } finally {
    db.close();
  }
}

/** From here on, no program opens the database until the copy is complete. */
async function begin(db: Connection): Promise<void> {
  const tables = (await createReader(db).tables()).filter(({ name }) => !Object.hasOwn(NOT_COPIED, name));
  inTransaction(db, () => {
    for (const [name, condition] of Object.entries(INSERTED_BY_MIGRATIONS))
      db.exec(`DELETE FROM ${quote(name)} WHERE ${condition}`);
    for (const { name } of tables)
      if (db.prepare(`SELECT 1 FROM ${quote(name)} LIMIT 1`).get() !== undefined) throw notEmpty(name);
    markUnfinished(db);
    // Sorting all rows once is faster than adding each of them to every index.
    const indexes = db
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
      )
      .all();
    const keep = db.prepare('INSERT INTO unfinished_copy (statement) VALUES (?)');
    for (const { name, sql } of indexes) {
      keep.run(sql);
      db.exec(`DROP INDEX ${quote(name)}`);
    }
  });
}

function markUnfinished(db: Connection): void {
  db.exec(
    'CREATE TABLE unfinished_copy (position INTEGER PRIMARY KEY NOT NULL, statement TEXT NOT NULL) STRICT',
  );
  db.prepare(
    `INSERT INTO schema_migrations (version, name, applied_at, oldest_compatible)
     VALUES (?, ?, CAST(unixepoch('subsec') * 1000 AS INTEGER), ?)`,
  ).run(UNFINISHED_VERSION, UNFINISHED_COPY, UNFINISHED_VERSION);
}

function unmark(db: Connection): void {
  db.prepare('DELETE FROM schema_migrations WHERE version = ?').run(UNFINISHED_VERSION);
  db.exec('DROP TABLE unfinished_copy');
}

function readStatements(db: Connection): { position: number; statement: string }[] {
  return db
    .prepare<[], { position: number; statement: string }>(
      'SELECT position, statement FROM unfinished_copy ORDER BY position',
    )
    .all();
}

/** Leaves a database as the migrations made it. */
async function discard(db: Connection): Promise<void> {
  db.pragma('foreign_keys = OFF');
  const tables = await createReader(db).tables();
  const applied = readApplied(db);
  inTransaction(db, () => {
    for (const { name } of tables)
      if (!Object.hasOwn(NOT_COPIED, name)) db.exec(`DELETE FROM ${quote(name)}`);
    for (const { statement } of readStatements(db)) db.exec(statement);
    for (const statement of insertionsOf(applied, SQLITE_MIGRATIONS)) db.exec(statement);
    unmark(db);
  });
}

/** Takes half the time of single rows. */
const ROWS_AT_ONCE = 50;

function insertion({ name, columns }: TableShape, rows: number): string {
  const row = `(${columns.map(() => '?').join(', ')})`;
  const names = columns.map((column) => quote(column.name)).join(', ');
  return `INSERT INTO ${quote(name)} (${names}) VALUES ${Array(rows).fill(row).join(', ')}`;
}

function targetOf(db: Connection): CopyTarget {
  return {
    ...createReader(db),
    async write(table, lines) {
      const [insert, insertMany] = [1, ROWS_AT_ONCE].map((rows) => db.prepare(insertion(table, rows)));
      inTransaction(db, () => {
        let values: Value[] = [];
        for (const row of rowsOf(lines, table.columns)) {
          values.push(...row);
          if (values.length < ROWS_AT_ONCE * row.length) continue;
          insertMany?.run(values);
          values = [];
        }
        const width = table.columns.length;
        for (let at = 0; at < values.length; at += width) insert?.run(values.slice(at, at + width));
      });
    },
    async rebuild(onStep) {
      for (const { position, statement } of readStatements(db)) {
        inTransaction(db, () => {
          db.exec(statement);
          db.prepare('DELETE FROM unfinished_copy WHERE position = ?').run(position);
        });
        onStep(1);
      }
    },
    async finish(now) {
      db.pragma('synchronous = FULL');
      inTransaction(db, () => {
        if (readStatements(db).length > 0) throw new CopyError('the indexes of the target are incomplete');
        beginEpoch(db, now);
        unmark(db);
      });
    },
  };
}

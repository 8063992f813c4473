/**
 * The plans of the statements that a store prepares on a `Database`:
 *
 *   const plans = await explainOn.postgres(createUserStore);
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Database, Dialect } from '../../../src/store/database.ts';
import { migrateDatabase } from '../../../src/store/open.ts';
import { Connections, type Queryable } from '../../../src/store/postgres/connection/connection.ts';
import { numberParameters, POSTGRES_DIALECT } from '../../../src/store/postgres/database.ts';
import { SQLITE_DIALECT } from '../../../src/store/sqlite/database.ts';
import { createMigratedDatabase } from '../../support/postgres/postgres.ts';

export type CreateStore = (database: Database) => unknown;

type Reads = readonly string[];

/** What the statements of stores read, in the order in which they are prepared; where it differs, on each database. */
export type ExpectedPlans = readonly [
  CreateStore,
  Record<string, Reads | { sqlite: Reads; postgres: Reads }>,
][];

/** The texts in the order in which the store prepares them. */
function recordStatements(dialect: Dialect, create: CreateStore): string[] {
  const texts: string[] = [];
  const record = (text: string) => {
    texts.push(text);
    return async () => [];
  };
  const recordWrite = (text: string) => {
    texts.push(text);
    return async () => 0;
  };
  create({
    dialect,
    read: record,
    readAndUse(text) {
      texts.push(text);
      return async (_params, use) => use([]);
    },
    writeAndRead: record,
    write: recordWrite,
    writeMany: recordWrite,
    transaction(...steps) {
      texts.push(...steps);
      return async () => [];
    },
    writeTogether(...steps) {
      texts.push(...steps);
      return async () => [];
    },
  });
  return texts;
}

/**
 * What each statement of a store reads: table (or its alias), index and the columns that find the rows, in alphabetical
 * order. `votes pkey guild_id,cast_at` is a part of the primary key, `votes scan` the whole table, `(index only)` an index
 * that has every column. `sort`: rows are sorted or grouped in memory.
 */
export type Explain = (create: CreateStore) => Promise<string[][]>;

export async function withSqlitePlans(work: (explain: Explain) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-plans-'));
  const path = join(folder, 'votary.db');
  await migrateDatabase({ kind: 'sqlite', path });
  const db = new Sqlite(path);
  try {
    await work(async (create) =>
      recordStatements(SQLITE_DIALECT, create).map((text) => {
        const plan = db.prepare<string[], { detail: string }>(
          `EXPLAIN QUERY PLAN ${text.replace(/@\w+/g, '?')}`,
        );
        const values = Array.from(text.matchAll(/@\w+/g), () => '1');
        return summarize(plan.all(...values).flatMap(({ detail }) => readSqliteLine(detail, text)));
      }),
    );
  } finally {
    db.close();
    await rm(folder, { recursive: true });
  }
}

function readSqliteLine(line: string, text: string): string[] {
  if (line.includes('TEMP B-TREE')) return ['sort'];
  const read =
    /^(?:SEARCH|SCAN) (\w+)(?: EXISTS)?(?: USING (COVERING )?(INDEX \w+|\w* ?PRIMARY KEY))?(?: \((.*)\))?/.exec(
      line,
    );
  const [, table = '', covering, index, condition = ''] = read ?? [];
  const isDerived = new RegExp(`\\) AS ${table}\\b|WITH ${table}\\b`).test(text);
  if (!read || table === 'CONSTANT' || table === 'json_each') return [];
  if (index === undefined) return isDerived ? [] : [`${table} scan`];
  const name = /PRIMARY KEY|sqlite_autoindex_\w+_1/.test(index) ? 'pkey' : index.replace('INDEX ', '');
  const columns = condition.split(' AND ').flatMap((part) => /[\w,]+/.exec(part)?.[0]?.split(',') ?? []);
  return [describe({ table, index: name, columns, isIndexOnly: covering !== undefined })];
}

export async function withPostgresPlans(work: (explain: Explain) => Promise<void>): Promise<void> {
  const { url, drop } = await createMigratedDatabase();
  const connections = new Connections(url);
  try {
    await connections.transaction(async (inside) => {
      // The tables are empty, so a full scan would be cheap: only the choice of index is checked.
      for (const setting of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material'])
        await inside.query({ text: `SET LOCAL enable_${setting} = off` });
      await inside.query({ text: 'SET LOCAL plan_cache_mode = force_generic_plan' });
      await work(async (create) => {
        const plans: string[][] = [];
        for (const text of recordStatements(POSTGRES_DIALECT, create))
          plans.push(await explainPostgres(inside, text));
        return plans;
      });
    });
  } finally {
    await connections.close();
    await drop();
  }
}

async function explainPostgres(inside: Queryable, text: string): Promise<string[]> {
  const { text: numbered, names } = numberParameters(text);
  await inside.query({ text: `PREPARE plan AS ${numbered}` });
  const values = names.length === 0 ? '' : `(${names.map(() => 'NULL')})`;
  const explain = `EXPLAIN (COSTS OFF) EXECUTE plan ${values}`;
  const { rows } = await inside.query<Record<string, string>>({ text: explain });
  await inside.query({ text: 'DEALLOCATE plan' });
  const plan = rows.map((row) => String(row['QUERY PLAN']).trim()).join('\n');
  const reads = plan.matchAll(
    /(Seq|Index|Index Only) Scan.*? (?:using (\w+) )?on (\w+)(?: (\w+))?(?:\nIndex Cond: (.*))?/g,
  );
  return summarize([
    ...Array.from(reads, ([, kind, using = '', relation = '', alias = relation, condition = '']) => {
      const table = alias.replace(/_\d+$/, '');
      const index = using.replace(`${relation}_pkey`, 'pkey');
      const isIndexOnly = kind === 'Index Only';
      if (kind === 'Seq') return `${table} scan`;
      return describe({ table, index, columns: comparedColumns(condition), isIndexOnly });
    }),
    ...(/\bSort\b/.test(plan) ? ['sort'] : []),
  ]);
}

function comparedColumns(condition: string): string[] {
  return condition.split(' AND ').flatMap((part) => {
    const compared = /^\(*(?:ROW\()?([\w, ]+?)\)? (?:=|[<>]=?) /.exec(part)?.[1];
    return compared?.split(', ') ?? [];
  });
}

type IndexRead = { table: string; index: string; columns: readonly string[]; isIndexOnly: boolean };

function describe({ table, index, columns, isIndexOnly }: IndexRead): string {
  const words = [table, index, [...new Set(columns)].join(), isIndexOnly ? '(index only)' : ''];
  return words.filter((word) => word !== '').join(' ');
}

function summarize(reads: readonly string[]): string[] {
  return [...new Set(reads)].sort();
}

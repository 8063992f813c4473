import type pg from 'pg';
import {
  type Database,
  type Dialect,
  type Params,
  parameterOf,
  type ReadAndUse,
  type Statements,
} from '../database.ts';
import type { Connections, Queryable, Statement } from './connection/connection.ts';

export const POSTGRES_DIALECT: Dialect = {
  indexedBy: () => '',
  inList: (parameter) => `= ANY (${parameter}::text[])`,
  rowsOf(parameter, columns) {
    const types = Object.entries(columns).map(([column, type]) => `"${column}" ${type}`);
    return `(SELECT * FROM jsonb_to_recordset(${parameter}::jsonb) AS items (${types.join(', ')}))`;
  },
  lock: (clause) => clause,
  greatest: 'greatest',
  position: 'strpos',
  now: 'floor(extract(epoch FROM clock_timestamp()) * 1000)',
  deleteSome: (table) => `
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE guild_id = @guildId LIMIT @limit FOR UPDATE SKIP LOCKED
    ))`,
};

/** For the stores that are written once, on the connections of a server. */
export function createDatabase(connections: Connections): Database {
  const statements = createStatements(connections);
  return {
    ...statements,
    readAndUse<Row extends object>(text: string, name?: string): ReadAndUse<Row> {
      const read = statements.read<Row>(text, name);
      return async (params, use) => use(await read(params));
    },
    writeMany: statements.write,
    transaction(...texts) {
      const steps = texts.map((text) => prepareStatement(text));
      return (params) => connections.transaction((tx) => runSteps(tx, steps, params));
    },
    writeTogether(...texts) {
      const steps = texts.map((text) => prepareStatement(text));
      return (params) =>
        connections.transaction(async (tx) => {
          const counts: number[] = [];
          for (const toStatement of steps) counts.push((await tx.query(toStatement(params))).rowCount ?? 0);
          return counts;
        });
    },
  };
}

/** Without transactions, for a single connection too. */
export function createStatements(on: Queryable): Statements {
  function prepare<Row extends object>(text: string, name?: string) {
    const toStatement = prepareStatement(text, name);
    return (params?: Params): Promise<pg.QueryResult<Row>> => on.query<Row>(toStatement(params));
  }

  function read<Row extends object>(text: string, name?: string) {
    const run = prepare<Row>(text, name);
    return async (params?: Params) => (await run(params)).rows;
  }

  return {
    dialect: POSTGRES_DIALECT,
    read,
    writeAndRead: read,
    write(text, name) {
      const run = prepare(text, name);
      return async (params) => (await run(params)).rowCount ?? 0;
    },
  };
}

type ToStatement = (params?: Params) => Statement;

async function runSteps(tx: Queryable, steps: readonly ToStatement[], params?: Params): Promise<number[]> {
  const counts: number[] = [];
  for (const toStatement of steps) {
    counts.push((await tx.query(toStatement(params))).rowCount ?? 0);
    if (counts.at(-1) === 0) break;
  }
  return counts;
}

/** `LIMIT @limit + 0` is for SQLite. Here it would make the limit a 32-bit integer, and reject a larger one. */
const LIMIT_OF_SQLITE = /\bLIMIT (@\w+) \+ 0/g;

/** PostgreSQL numbers its parameters: `@userId` becomes `$1`, wherever it occurs. `names` has them in order. */
export function numberParameters(text: string): { text: string; names: string[] } {
  const names: string[] = [];
  const numbered = text.replace(LIMIT_OF_SQLITE, 'LIMIT $1').replace(/@(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}

function prepareStatement(text: string, name?: string): ToStatement {
  const { text: numbered, names } = numberParameters(text);
  const statement = name === undefined ? { text: numbered } : { name, text: numbered };
  return (params = {}) => ({
    ...statement,
    values: names.map((parameter) => parameterOf(params, parameter)),
  });
}

import type { Statement } from 'better-sqlite3';
import {
  type Database,
  type Dialect,
  type Params,
  parameterOf,
  type ReadAndUse,
  type Statements,
  type Value,
} from '../database.ts';
import { type Connection, type Connections, explainUnavailable } from './connection.ts';

export const SQLITE_DIALECT: Dialect = {
  indexedBy: (index) => `INDEXED BY ${index}`,
  inList: (parameter) => `IN (SELECT value FROM json_each(${parameter}))`,
  rowsOf(parameter, columns) {
    const values = Object.keys(columns).map((column) => `value ->> '${column}' AS "${column}"`);
    return `(SELECT ${values.join(', ')} FROM json_each(${parameter}))`;
  },
  lock: () => '',
  greatest: 'max',
  position: 'instr',
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  deleteSome: (table) => `DELETE FROM ${table} WHERE guild_id = @guildId LIMIT @limit + 0`,
};

/** For the stores that are written once. Reads do not wait for writes. */
export function createDatabase(connections: Connections): Database {
  const { reader, writer } = connections;
  function prepareAll<Row extends object>(text: string) {
    const { use, bind } = prepare<Row>(reader, text);
    return (params?: Params): Row[] => {
      try {
        return use().all(...bind(params));
      } catch (error) {
        throw explainUnavailable(error);
      }
    };
  }

  return {
    dialect: SQLITE_DIALECT,
    read<Row extends object>(text: string) {
      const all = prepareAll<Row>(text);
      return async (params) => all(params);
    },
    readAndUse<Row extends object>(text: string): ReadAndUse<Row> {
      const all = prepareAll<Row>(text);
      return async (params, use) => use(all(params));
    },
    write(text) {
      const run = prepareWrite(writer, text);
      return (params) => connections.write(() => run(params));
    },
    writeMany(text) {
      const run = prepareWrite(writer, text);
      return (params) => connections.writeMany(() => run(params));
    },
    writeAndRead<Row extends object>(text: string) {
      const { use, bind } = prepare<Row>(writer, text);
      return (params) => connections.write(() => use().all(...bind(params)));
    },
    transaction(...texts) {
      const steps = texts.map((text) => prepareWrite(writer, text));
      return (params) => connections.write(() => runSteps(steps, params));
    },
    writeTogether(...texts) {
      const steps = texts.map((text) => prepareWrite(writer, text));
      return (params) => connections.writeMany(() => steps.map((run) => run(params)));
    },
  };
}

/** For work that has a connection to itself. Its caller begins and ends the transaction. */
export function createStatements(db: Connection): Statements {
  function read<Row extends object>(text: string) {
    const { use, bind } = prepare<Row>(db, text);
    return async (params?: Params) => use().all(...bind(params));
  }

  return {
    dialect: SQLITE_DIALECT,
    read,
    writeAndRead: read,
    write(text) {
      const run = prepareWrite(db, text);
      return async (params) => run(params);
    },
  };
}

/**
 * Prepared when it is first used: a service has hundreds of statements, and preparing all of them takes 20 ms of its start.
 * Values are passed by position: the driver needs 2 µs more for a list of votes when it looks them up by name.
 */
function prepare<Row>(db: Connection, text: string) {
  const names = Array.from(text.matchAll(/@(\w+)/g), ([, name = '']) => name);
  let statement: Statement<unknown[], Row> | undefined;
  // The driver reads the values before anything else can run, so all executions share one array.
  const values: unknown[] = names.map(() => null);
  return {
    use(): Statement<unknown[], Row> {
      statement ??= db.prepare<unknown[], Row>(withPositions(text));
      return statement;
    },
    bind(params: Params = {}): unknown[] {
      for (let i = 0; i < names.length; i += 1) values[i] = bindValue(parameterOf(params, names[i] ?? ''));
      return values;
    },
  };
}

/** SQLite has neither booleans nor lists. */
function bindValue(value: Value): unknown {
  // Most values are one of these.
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

/** The text with a `?` for each name: values are passed in the order of the text. */
export function withPositions(text: string): string {
  return text.replace(/@\w+/g, '?');
}

type Run = (params?: Params) => number;

/** For reads inside the work of a transaction. */
export function prepareRead<Row>(db: Connection, text: string) {
  const { use, bind } = prepare<Row>(db, text);
  return {
    first: (params: Params): Row | undefined => use().get(...bind(params)),
    all: (params: Params): Row[] => use().all(...bind(params)),
  };
}

/** Counts the rows that were changed, or read. */
function prepareWrite(writer: Connection, text: string): Run {
  const { use, bind } = prepare(writer, text);
  let isReader: boolean | undefined;
  return (params) => {
    const statement = use();
    isReader ??= statement.reader;
    return isReader ? statement.all(...bind(params)).length : statement.run(...bind(params)).changes;
  };
}

function runSteps(steps: readonly Run[], params?: Params): number[] {
  const counts: number[] = [];
  for (const run of steps) {
    counts.push(run(params));
    if (counts.at(-1) === 0) break;
  }
  return counts;
}

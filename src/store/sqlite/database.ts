import type { Database, Dialect, Params, Value } from '../database.ts';
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
  return {
    dialect: SQLITE_DIALECT,
    read<Row extends object>(text: string) {
      const statement = reader.prepare<[object], Row>(text);
      return async (params) => {
        try {
          return statement.all(bind(params));
        } catch (error) {
          throw explainUnavailable(error);
        }
      };
    },
    write(text) {
      const run = prepareWrite(writer, text);
      return (params) => connections.write(() => run(bind(params)));
    },
    writeAndRead<Row extends object>(text: string) {
      const statement = writer.prepare<[object], Row>(text);
      return (params) => connections.write(() => statement.all(bind(params)));
    },
    transaction(...texts) {
      const steps = texts.map((text) => prepareWrite(writer, text));
      return (params) => connections.transaction(() => runSteps(steps, bind(params)));
    },
  };
}

type Run = (params: object) => number;

/** Counts the rows that were changed, or read. */
function prepareWrite(writer: Connection, text: string): Run {
  const statement = writer.prepare<[object]>(text);
  return statement.reader
    ? (params) => statement.all(params).length
    : (params) => statement.run(params).changes;
}

function runSteps(steps: readonly Run[], params: object): number[] {
  const counts: number[] = [];
  for (const run of steps) {
    counts.push(run(params));
    if (counts.at(-1) === 0) break;
  }
  return counts;
}

/** SQLite has neither booleans nor lists. */
function bind(params: Params = {}): object {
  const bound: Record<string, Value> = {};
  for (const name in params) {
    const value = params[name] ?? null;
    if (typeof value === 'boolean') bound[name] = Number(value);
    else bound[name] = Array.isArray(value) ? JSON.stringify(value) : value;
  }
  return bound;
}

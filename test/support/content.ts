/** Everything that a database contains, for tests that compare two of them. */
import type { DatabaseUrl } from '../../src/config.ts';
import { NOT_COPIED } from '../../src/store/maintenance/copy.ts';

type Queryable = {
  database: DatabaseUrl;
  query(sql: string): Promise<Record<string, unknown>[]>;
};

const TABLES = {
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  postgres:
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1",
};

export async function tablesOf({ database, query }: Queryable): Promise<string[]> {
  return (await query(TABLES[database.kind])).map(({ name }) => String(name));
}

/** Every row that is copied, in a form that is the same on both databases. */
export async function contentOf(fresh: Queryable): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const table of await tablesOf(fresh)) {
    if (Object.hasOwn(NOT_COPIED, table)) continue;
    const rows = await fresh.query(`SELECT * FROM ${table}`);
    content[table] = rows.map((row) => JSON.stringify(Object.entries(row).sort().map(plain))).sort();
  }
  return content;
}

function plain([name, value]: [string, unknown]): unknown {
  if (Buffer.isBuffer(value)) return [name, value.toString('hex')];
  if (typeof value === 'boolean') return [name, String(Number(value))];
  return [name, value === null ? null : String(value)];
}

import type { FreshDatabase } from '../../fixtures.ts';

/** Every table and column of the database that contains a text anywhere, as `table.column`. */
export async function findTraces(
  { query, database }: Pick<FreshDatabase, 'query' | 'database'>,
  text: string,
): Promise<string[]> {
  const columns = await query(
    database.kind === 'sqlite'
      ? `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table'`
      : `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
         WHERE table_schema = 'public'`,
  );
  const found: string[] = [];
  for (const { table, column } of columns) {
    const rows = await query(
      `SELECT 1 AS one FROM "${table}" WHERE CAST("${column}" AS TEXT) LIKE '%${text}%' LIMIT 1`,
    );
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  return found;
}

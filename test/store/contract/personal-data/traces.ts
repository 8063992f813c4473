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
  for (const [table, ofTable] of Map.groupBy(columns, (one) => String(one.table))) {
    const names = ofTable.map(({ column }) => String(column));
    const matches = names.map(
      (name) => `count(*) FILTER (WHERE CAST("${name}" AS TEXT) LIKE '%${text}%') AS "${name}"`,
    );
    const [counts] = await query(`SELECT ${matches} FROM "${table}"`);
    found.push(...names.filter((name) => Number(counts?.[name]) > 0).map((name) => `${table}.${name}`));
  }
  return found;
}

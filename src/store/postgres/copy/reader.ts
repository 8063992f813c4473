import type pg from 'pg';
import { type Column, CopyError, type TableReader, type TableShape } from '../../maintenance/copy.ts';
import { copyOut } from './copy-protocol.ts';

const KINDS: Readonly<Record<string, Column['kind']>> = {
  text: 'text',
  bigint: 'number',
  integer: 'number',
  smallint: 'number',
  boolean: 'number',
  bytea: 'bytes',
};

type ColumnRow = { table_name: string; column_name: string; type: string; key_position: number | null };

/** Only tables that queries without a schema name use. */
const COLUMNS = `
  SELECT relname AS table_name, attname AS column_name, format_type(atttypid, NULL) AS type,
    array_position(conkey, attnum) AS key_position
  FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    LEFT JOIN pg_constraint ON conrelid = pg_class.oid AND contype = 'p'
  WHERE relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped
    AND pg_table_is_visible(pg_class.oid) AND relnamespace = to_regnamespace(current_schema())
    AND relname <> ALL ($1)
  ORDER BY relname, attnum`;

/** `ignored`: tables whose columns may have any type. */
export function createReader(client: pg.Client, ignored: readonly string[]): TableReader {
  const booleans = new Set<string>();
  return {
    async tables() {
      const { rows } = await client.query<ColumnRow>(COLUMNS, [ignored]);
      for (const row of rows)
        if (row.type === 'boolean') booleans.add(`${row.table_name}.${row.column_name}`);
      return [...Map.groupBy(rows, (row) => row.table_name)].map(toShape);
    },
    async count({ name }) {
      const { rows } = await client.query<{ count: number }>(`SELECT count(*) AS count FROM ${quote(name)}`);
      return rows[0]?.count ?? 0;
    },
    read({ name, columns, key }, blockBytes) {
      const fields = columns.map((column) =>
        booleans.has(`${name}.${column.name}`) ? `${quote(column.name)}::integer` : quote(column.name),
      );
      // Texts are ordered by their bytes, as on SQLite.
      const isText = (part: string) =>
        columns.some((column) => column.name === part && column.kind === 'text');
      const order = key.map((part) => `${quote(part)}${isText(part) ? ' COLLATE "C"' : ''}`);
      return copyOut(
        client,
        `COPY (SELECT ${fields.join(', ')} FROM ${quote(name)} ORDER BY ${order.join(', ')}) TO STDOUT`,
        blockBytes,
      );
    },
  };
}

export function quote(name: string): string {
  return `"${name}"`;
}

function toShape([name, rows]: [string, ColumnRow[]]): TableShape {
  const keyed = rows.flatMap((row) =>
    row.key_position === null ? [] : [{ name: row.column_name, position: row.key_position }],
  );
  const columns = rows.map((row): Column => {
    const kind = KINDS[row.type];
    if (kind === undefined) throw new CopyError(`the column ${name}.${row.column_name} has an unknown type`);
    return { name: row.column_name, kind };
  });
  return { name, columns, key: keyed.sort((a, b) => a.position - b.position).map((part) => part.name) };
}

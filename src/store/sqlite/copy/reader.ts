import type { Column, Lines, TableReader, TableShape } from '../../maintenance/copy.ts';
import { CopyError } from '../../maintenance/copy.ts';
import type { Connection } from '../connection.ts';
import { lineOf, quote } from './lines.ts';

const KINDS: Readonly<Record<string, Column['kind']>> = { TEXT: 'text', INTEGER: 'number', BLOB: 'bytes' };

type ColumnRow = { table_name: string; column_name: string; type: string; key_position: number };

export function createReader(db: Connection): TableReader {
  return {
    async tables() {
      const rows = db.prepare<[], ColumnRow>(
        `SELECT tables.name AS table_name, columns.name AS column_name, columns.type AS type, columns.pk AS key_position
         FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
         WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         ORDER BY tables.name, columns.cid`,
      );
      return [...Map.groupBy(rows.all(), (row) => row.table_name)].map(toShape);
    },
    async count({ name }) {
      return (
        db
          .prepare<[], number>(`SELECT count(*) FROM ${quote(name)}`)
          .pluck()
          .get() ?? 0
      );
    },
    read: (table, blockBytes) => readLines(db, table, blockBytes),
  };
}

function toShape([name, rows]: [string, ColumnRow[]]): TableShape {
  const key = rows.filter((row) => row.key_position > 0).sort((a, b) => a.key_position - b.key_position);
  const columns = rows.map((row): Column => {
    const kind = KINDS[row.type];
    if (kind === undefined) throw new CopyError(`the column ${name}.${row.column_name} has an unknown type`);
    return { name: row.column_name, kind };
  });
  return { name, columns, key: key.map((row) => row.column_name) };
}

async function* readLines(
  db: Connection,
  { name, columns, key }: TableShape,
  blockBytes: number,
): AsyncGenerator<Lines> {
  const rows = db.prepare<[], string>(
    `SELECT ${lineOf(columns)} FROM ${quote(name)} ORDER BY ${key.map(quote).join(', ')}`,
  );
  let lines: string[] = [];
  let characters = 0;
  for (const line of rows.pluck().iterate()) {
    lines.push(line);
    characters += line.length;
    if (characters < blockBytes) continue;
    yield toLines(lines);
    [lines, characters] = [[], 0];
  }
  if (lines.length > 0) yield toLines(lines);
}

function toLines(lines: readonly string[]): Lines {
  return { bytes: Buffer.from(`${lines.join('\n')}\n`), rows: lines.length };
}

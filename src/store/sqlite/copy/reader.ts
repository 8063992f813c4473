import type { Column, Lines, TableReader, TableShape } from '../../maintenance/copy.ts';
import { CopyError } from '../../maintenance/copy.ts';
import type { Connection } from '../connection.ts';
import { escapedLine, isPlain, plainLine, quote, rowsOf, type Value } from './lines.ts';

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

/** In pages: SQLite joins the lines of each, which takes a third of the time of one text for each row. */
async function* readLines(db: Connection, table: TableShape, blockBytes: number): AsyncGenerator<Lines> {
  const [readPlain, readEscaped] = [plainLine(table.columns), escapedLine(table.columns)].map((line) =>
    preparePages(db, table, line),
  );
  let limit = FIRST_PAGE_ROWS;
  for (let key: Value[] | undefined = []; key !== undefined; ) {
    let lines: Lines | undefined = readPlain?.(key, limit);
    if (lines !== undefined && !isPlain(lines, table.columns.length)) lines = readEscaped?.(key, limit);
    if (lines === undefined) return;
    yield lines;
    key = lines.rows < limit ? undefined : lastKeyOf(lines, table);
    // The next page has the size of a block, if its rows are like these.
    limit = Math.max(1, Math.round((lines.rows * blockBytes) / lines.bytes.length));
  }
}

const FIRST_PAGE_ROWS = 100;

/** Reads the rows after a key, or the first ones after an empty key. */
function preparePages(db: Connection, { name, key }: TableShape, line: string) {
  const columns = key.map(quote).join(', ');
  const prepare = (condition: string) =>
    db.prepare<Value[], { lines: string | null; rows: number }>(
      `SELECT group_concat(line, '\n') AS lines, count(*) AS rows
       FROM (SELECT ${line} AS line FROM ${quote(name)} ${condition} ORDER BY ${columns} LIMIT ? + 0)`,
    );
  const first = prepare('');
  const next = prepare(`WHERE (${columns}) > (${key.map(() => '?').join(', ')})`);
  return (after: readonly Value[], limit: number): Lines | undefined => {
    const page = (after.length === 0 ? first : next).get(...after, limit);
    if (page?.lines == null) return undefined;
    return { bytes: Buffer.from(`${page.lines}\n`), rows: page.rows };
  };
}

function lastKeyOf({ bytes }: Lines, { columns, key }: TableShape): Value[] {
  const start = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  const [row = []] = rowsOf(bytes.subarray(start), columns);
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);
}

/** Rows of SQLite as lines in the text format of PostgreSQL's COPY, and back. */
import type { Column, Lines } from '../../maintenance/copy.ts';

const ESCAPES = [
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
] as const;
const ESCAPED = new Map<string, string>(ESCAPES.map(([character, escaped]) => [escaped, character]));
const NULL = '\\N';

/** An expression for the line of a row, without its end. Formatted by SQLite, which takes a third of the time. */
export function escapedLine(columns: readonly Column[]): string {
  return lineOf(columns, (column) => {
    const escaped = ESCAPES.reduce((text, [from, to]) => `replace(${text}, '${from}', '${to}')`, column);
    return `ifnull(${escaped}, '${NULL}')`;
  });
}

/** The same without escapes: for rows that `isPlain`, which takes a quarter of the time. */
export function plainLine(columns: readonly Column[]): string {
  return lineOf(
    columns,
    // A text that looks like null is made to be noticed.
    (column) =>
      `CASE WHEN ${column} IS NULL THEN '${NULL}' WHEN ${column} = '${NULL}' THEN '\\' ELSE ${column} END`,
  );
}

function lineOf(columns: readonly Column[], textOf: (column: string) => string): string {
  const fields = columns.map(({ name, kind }) => {
    const column = quote(name);
    if (kind === 'text') return textOf(column);
    return `ifnull(${kind === 'bytes' ? `'\\\\x' || lower(hex(${column}))` : column}, '${NULL}')`;
  });
  return `concat_ws('\t', ${fields.join(', ')})`;
}

const [TAB, NEWLINE, LAST_CONTROL, BACKSLASH, LETTER_N] = [9, 10, 13, 92, 78];
const FIRST_CONTROL = 8;

/** Whether lines without escapes are the same with them: the only special characters are separators and nulls. */
export function isPlain({ bytes, rows }: Lines, columns: number): boolean {
  let [tabs, newlines] = [0, 0];
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte === TAB) tabs += 1;
    else if (byte === NEWLINE) newlines += 1;
    else if (byte === BACKSLASH ? !isNull(bytes, i) : byte >= FIRST_CONTROL && byte <= LAST_CONTROL)
      return false;
  }
  return newlines === rows && tabs === rows * (columns - 1);
}

function isNull(bytes: Buffer, at: number): boolean {
  return bytes[at + 1] === LETTER_N && isSeparator(bytes[at - 1]) && isSeparator(bytes[at + 2]);
}

function isSeparator(byte: number | undefined): boolean {
  return byte === undefined || byte === TAB || byte === NEWLINE;
}

export function quote(name: string): string {
  return `"${name}"`;
}

export type Value = string | number | Buffer | null;

/** Reads the lines of a block. */
export function* rowsOf(block: Buffer, columns: readonly Column[]): Generator<Value[]> {
  const text = block.toString('utf8');
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const fields = text.slice(start, end).split('\t');
    yield columns.map(({ kind }, i) => readField(fields[i] ?? NULL, kind));
    start = end + 1;
  }
}

function readField(field: string, kind: Column['kind']): Value {
  if (field === NULL) return null;
  switch (kind) {
    case 'number':
      return Number(field);
    case 'bytes':
      return Buffer.from(field.slice('\\\\x'.length), 'hex');
    case 'text':
      return field.includes('\\')
        ? field.replace(/\\./g, (sequence) => ESCAPED.get(sequence) ?? sequence)
        : field;
  }
}

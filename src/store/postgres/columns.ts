export type Cell = string | number | boolean | null | undefined;

/** Rows as one array per column, for `unnest`. */
export function columnsOf(rows: readonly (readonly Cell[])[]): string[] {
  return (rows[0] ?? []).map((_, column) => arrayOf(rows.map((row) => row[column])));
}

/**
 * An array as PostgreSQL reads it. The driver would do the same with two regular expressions for each value, which took a
 * fifth of the time of a claim in this process.
 */
export function arrayOf(values: readonly Cell[]): string {
  return `{${values.map(elementOf).join(',')}}`;
}

function elementOf(value: Cell): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value !== 'string') return String(value);
  const isPlain = !value.includes('"') && !value.includes('\\');
  return `"${isPlain ? value : value.replace(/["\\]/g, '\\$&')}"`;
}

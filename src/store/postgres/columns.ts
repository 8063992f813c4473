export type Cell = string | number | boolean | null | undefined;

/**
 * Rows as one array per column, for `unnest` of all of them, which adds NULL to shorter columns. So a column that only has
 * NULL is no array at all: each element costs the server time.
 */
export function columnsOf(rows: readonly (readonly Cell[])[]): (string | null)[] {
  return (rows[0] ?? []).map((_, column) => {
    let elements = '';
    let isNull = true;
    for (const row of rows) {
      const value = row[column];
      elements = withElement(elements, value);
      isNull &&= value === null || value === undefined;
    }
    return isNull ? null : `{${elements}}`;
  });
}

/**
 * An array as PostgreSQL reads it. The driver would do the same with two regular expressions for each value, which took a
 * fifth of the time of a claim in this process.
 */
export function arrayOf(values: readonly Cell[]): string {
  return `{${values.reduce(withElement, '')}}`;
}

function withElement(elements: string, value: Cell): string {
  const element = elementOf(value);
  return elements === '' ? element : `${elements},${element}`;
}

/** Characters that JSON escapes in another way than arrays, for which only `"` and `\` matter. */
const OTHER_ESCAPES = /[\p{Cc}\p{Cs}]/u;

function elementOf(value: Cell): string {
  if (typeof value === 'string') {
    if (!value.includes('"') && !value.includes('\\')) return `"${value}"`;
    // Much faster than a regular expression for a text with many quotes, such as JSON.
    return OTHER_ESCAPES.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : JSON.stringify(value);
  }
  return value === null || value === undefined ? 'NULL' : String(value);
}

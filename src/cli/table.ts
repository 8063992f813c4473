import { codePointLength } from '../domain/identifiers.ts';

const GAP = '  ';

/** Rows in columns, each as wide as its widest cell; nothing trails a line. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, codePointLength(cell));
    });
  }
  return rows.map((row) => formatRow(row, widths)).join('\n');
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - codePointLength(cell)));
  return cells.join(GAP).trimEnd();
}

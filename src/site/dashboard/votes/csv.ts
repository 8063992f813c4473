/** Votes as a table for spreadsheets and programs: RFC 4180, UTF-8. */
import { formatInstant } from '../../../domain/clock.ts';
import type { Vote } from '../../../domain/vote.ts';

/**
 * Without this mark Excel reads UTF-8 as Windows-1252 and garbles every accented game name. Programs that know
 * CSV skip it: pandas, LibreOffice, Google Sheets, the csv readers of most languages ("utf-8-sig").
 */
const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';
const COLUMNS = ['timestamp', 'user_id', 'is_doubled', 'external_id'];

/**
 * A spreadsheet runs a cell that starts like this as a formula. It may split the line at another character than the
 * comma (French Excel: the semicolon), and it drops a quote at the start of what it takes for a cell.
 */
const FORMULA_START = /(?<=^|[;,\t\r\n])(?=[\t\r]|(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠])|^(?=\n)/g;
const NEEDS_QUOTES = /[",\r\n]/;

/** Lines written at once: enough to keep a stream busy, little to hold in memory. */
const LINES_A_PIECE = 500;

export async function* voteCsv(votes: AsyncIterable<Vote>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + lineOf(COLUMNS);
  let lines: string[] = [];
  for await (const vote of votes) {
    lines.push(
      lineOf([formatInstant(vote.castAt), vote.userId, String(vote.isDoubled), vote.externalId ?? '']),
    );
    if (lines.length < LINES_A_PIECE) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

function lineOf(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

/** An external id is whatever a voter's link said. The apostrophe makes a spreadsheet show it as text. */
export function csvCell(text: string): string {
  const harmless = text.replace(FORMULA_START, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

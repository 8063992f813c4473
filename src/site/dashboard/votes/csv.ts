/** Votes as CSV: RFC 4180, UTF-8. */
import { DAY_MS, formatInstant, type Instant } from '../../../domain/clock.ts';
import { ApiError } from '../../../domain/errors.ts';
import type { ClaimableVote } from '../../../domain/votes/claim.ts';
import { currentMonth, type Period, parseIsoDate, resolvePeriod } from '../../../domain/votes/period.ts';

/**
 * Without this byte order mark Excel reads UTF-8 as Windows-1252 and garbles accented names. Other CSV readers skip
 * it: pandas, LibreOffice, Google Sheets, most languages ("utf-8-sig").
 */
const BYTE_ORDER_MARK = '\uFEFF';
const LINE_END = '\r\n';
const COLUMNS = ['timestamp', 'user_id', 'is_doubled', 'external_id', 'claimed_at'];

/**
 * Spreadsheets run a cell that starts like this as a formula. They may split the line at another character than the
 * comma (French Excel: the semicolon) and drop a quote at the start of a cell.
 */
const FORMULA_START = /(?<=^|[;,\t\r\n])(?=[\t\r]|(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠])|^(?=\n)/g;
const NEEDS_QUOTES = /[",\r\n]/;

/** Lines per chunk: enough to keep a stream busy, few enough to hold in memory. */
const LINES_A_PIECE = 500;

export async function* voteCsv(votes: AsyncIterable<ClaimableVote>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + lineOf(COLUMNS);
  let lines: string[] = [];
  for await (const vote of votes) {
    const claimedAt = vote.claimedAt === null ? '' : formatInstant(vote.claimedAt);
    const { castAt, userId, isDoubled, externalId } = vote;
    lines.push(lineOf([formatInstant(castAt), userId, String(isDoubled), externalId ?? '', claimedAt]));
    if (lines.length < LINES_A_PIECE) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

function lineOf(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

/** An external id is untrusted text. The apostrophe makes spreadsheets show it as text. */
export function csvCell(text: string): string {
  const harmless = text.replace(FORMULA_START, "'");
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The submitted values, to fill in the form again. */
export type GivenDays = { from: string; to: string };

export type PeriodFault = 'INVALID_DATE' | 'INVALID_DATE_RANGE' | 'DATE_RANGE_TOO_LARGE';

/** The default of the form: this month until today. */
export function suggestedDays(now: Instant): GivenDays {
  return { from: formatInstant(currentMonth(now).from).slice(0, 10), to: formatInstant(now).slice(0, 10) };
}

/**
 * The period of a download, with the rules of the API except for one: "to 15 November" includes that day, so a `to`
 * without a time is the end of its day. Exact times are used as they are.
 */
export function csvPeriod(given: Partial<GivenDays>, now: Instant): Period | { fault: PeriodFault } {
  const days = suggestedDays(now);
  const from = given.from || days.from;
  const to = endOfDay(given.to || days.to);
  try {
    return resolvePeriod({ from, to }, { from: now, to: now });
  } catch (error) {
    const fault = error instanceof ApiError ? faultOf(error) : undefined;
    if (fault) return { fault };
    throw error;
  }
}

function endOfDay(text: string): string {
  const start = text.includes('T') ? undefined : parseIsoDate(text);
  return start === undefined ? text : formatInstant(start + DAY_MS);
}

function faultOf({ code }: ApiError): PeriodFault | undefined {
  return code === 'INVALID_DATE' || code === 'INVALID_DATE_RANGE' || code === 'DATE_RANGE_TOO_LARGE'
    ? code
    : undefined;
}

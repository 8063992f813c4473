import { VotaryError } from './errors/votary-error.ts';
import type { DateInput } from './types.ts';

/** Milliseconds since 1970, half-open: `from` is included, `to` is not. */
export type Span = { from: number; to: number };

/** The longest period of one request. */
const LONGEST_PERIOD_MS = 31 * 24 * 60 * 60 * 1000;

const ISO_DATE =
  /^(?<day>\d{4}-\d{2}-\d{2})(?:(?<time>T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?<offset>Z|[+ -]\d{2}(?::?\d{2})?)?)?$/;

/** A string without an offset is UTC, as in the API; `Date` alone would use the time zone of the machine. */
export function toInstant(value: DateInput, name: string): number {
  const instant = value instanceof Date ? value.getTime() : parseIsoDate(value);
  if (Number.isNaN(instant)) {
    throw new VotaryError(
      'INVALID_DATE',
      `${name} must be a valid Date, or a string such as 2026-01-31T18:00:00.000Z`,
    );
  }
  return instant;
}

function parseIsoDate(value: unknown): number {
  const parts = typeof value === 'string' ? ISO_DATE.exec(value)?.groups : undefined;
  if (!parts?.day || !isCalendarDay(parts.day)) return Number.NaN;
  return Date.parse(`${parts.day}${parts.time ?? 'T00:00'}${fullOffset(parts.offset ?? 'Z')}`);
}

/** The API accepts more forms of an offset than `Date` does: `+02`, `+0200`, and a `+` that became a space in a URL. */
function fullOffset(offset: string): string {
  if (offset === 'Z') return offset;
  const digits = offset.replace(/\D/g, '').padEnd(4, '0');
  return `${offset.startsWith('-') ? '-' : '+'}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Some engines parse February 30 as March 2. */
function isCalendarDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** The requested span. Default, as in the API: from the start of the current month, UTC, until now. */
export function resolveSpan(
  given: { from?: DateInput | undefined; to?: DateInput | undefined },
  now: number,
): Span {
  const today = new Date(now);
  const from =
    given.from === undefined
      ? Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
      : toInstant(given.from, 'from');
  const to = given.to === undefined ? now : toInstant(given.to, 'to');
  const namesNoDate = given.from === undefined && given.to === undefined;
  if (from > to || (from === to && !namesNoDate)) {
    throw new VotaryError('INVALID_DATE_RANGE', 'from must be earlier than to');
  }
  return { from, to };
}

/** Splits a span into periods that the API allows, oldest first, without gaps or overlaps. */
export function* cutIntoPeriods({ from, to }: Span): Generator<Span> {
  for (let start = from; start < to; start += LONGEST_PERIOD_MS) {
    yield { from: start, to: Math.min(start + LONGEST_PERIOD_MS, to) };
  }
}

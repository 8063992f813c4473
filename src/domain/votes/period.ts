/** Dates and periods: those that a request names, and the hours and months that votes are counted by. */
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../clock.ts';

const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+ -]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Parses an ISO 8601 date (midnight UTC) or date-time; `undefined` if it is not a valid calendar date.
 *
 * A date-time without an offset is UTC. A space in place of the offset's sign is a `+` that was not escaped in a
 * query string. Fractions finer than a millisecond are truncated.
 */
export function parseIsoDate(text: string): Instant | undefined {
  if (isOutputFormat(text)) return Date.parse(text);
  const match = ISO_DATE.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset = 'Z'] = match;
  const local = calendarInstant(
    [Number(year), Number(month), Number(day)],
    [Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0'))],
  );
  const offsetMinutes = parseOffset(offset);
  if (local === undefined || offsetMinutes === undefined) return undefined;
  const instant = local - offsetMinutes * MINUTE_MS;
  return hasFourDigitYear(instant) ? instant : undefined;
}

/** Our own output, as in an import: `Date.parse` reads it twice as fast, but also accepts February 30 and 24:00. */
const OUTPUT_FORMAT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

function isOutputFormat(text: string): boolean {
  return text.length === 24 && OUTPUT_FORMAT.test(text);
}

/** The instant of a UTC date and time, or `undefined` if it does not exist (Feb 30, 24:00, :60). */
function calendarInstant(
  [year, month, day]: [number, number, number],
  [hour, minute, second, millis]: [number, number, number, number],
): Instant | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  // setUTCFullYear, unlike Date.UTC, does not turn the years 0-99 into 1900-1999.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, millis);
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.getTime() : undefined;
}

function parseOffset(offset: string): number | undefined {
  if (offset === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  const total = hours * 60 + minutes;
  return offset.startsWith('-') ? -total : total;
}

/** An offset can move a date out of the years 0000-9999, which the output format cannot represent. */
function hasFourDigitYear(instant: Instant): boolean {
  const year = new Date(instant).getUTCFullYear();
  return year >= 0 && year <= 9999;
}

/** A half-open interval: `from` is included, `to` is not. */
export type Period = { from: Instant; to: Instant };

export const MAX_PERIOD_MS = 31 * DAY_MS;

/** The default period: from the first instant of the current UTC month until now. */
export function currentMonth(now: Instant): Period {
  return { from: monthOf(now), to: now };
}

/** The whole UTC month that an instant lies in. */
export function wholeMonth(instant: Instant): Period {
  const from = monthOf(instant);
  const date = new Date(from);
  return { from, to: date.setUTCMonth(date.getUTCMonth() + 1) };
}

/** The whole UTC month before the current one. */
export function previousMonth(now: Instant): Period {
  const { from } = currentMonth(now);
  return { from: currentMonth(from - 1).from, to: from };
}

/** Why dates are not a period. They are checked in this order. */
export type PeriodFault = 'INVALID_DATE' | 'INVALID_DATE_RANGE' | 'DATE_RANGE_TOO_LARGE';

export type PeriodOutcome = { kind: 'period'; period: Period } | { kind: 'invalid'; fault: PeriodFault };

/** The requested period. Absent or empty dates are taken from `defaults`. */
export function resolvePeriod(
  given: { from?: string | undefined; to?: string | undefined },
  defaults: Period,
): PeriodOutcome {
  const from = given.from ? parseIsoDate(given.from) : defaults.from;
  const to = given.to ? parseIsoDate(given.to) : defaults.to;
  if (from === undefined || to === undefined) return { kind: 'invalid', fault: 'INVALID_DATE' };
  const namesNoDate = !given.from && !given.to;
  // Without dates, the first millisecond of a month is an empty period, not an error.
  const isOrdered = from < to || (namesNoDate && from === to);
  if (!isOrdered) return { kind: 'invalid', fault: 'INVALID_DATE_RANGE' };
  if (to - from > MAX_PERIOD_MS) return { kind: 'invalid', fault: 'DATE_RANGE_TOO_LARGE' };
  return { kind: 'period', period: { from, to } };
}

/** All instants that an import accepts: the years 0000 to 9999. */
export const ALL_TIME: Period = {
  from: Date.parse('0000-01-01T00:00:00.000Z'),
  to: Date.parse('9999-12-31T23:59:59.999Z') + 1,
};

export const HALF_HOUR_MS = HOUR_MS / 2;

/** Hours, days, weeks and months in UTC are identified by their first instant. */
export function hourOf(instant: Instant): Instant {
  return Math.floor(instant / HOUR_MS) * HOUR_MS;
}

export function dayOf(instant: Instant): Instant {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}

/** Weeks start on Monday. The epoch was a Thursday. */
export function weekOf(instant: Instant): Instant {
  const day = Math.floor(instant / DAY_MS);
  return (Math.floor((day + 3) / 7) * 7 - 3) * DAY_MS;
}

export function monthOf(instant: Instant): Instant {
  const date = new Date(instant);
  // Setters, unlike Date.UTC, do not turn the years 0-99 into 1900-1999: an import may contain any date.
  date.setUTCDate(1);
  return date.setUTCHours(0, 0, 0, 0);
}

/** The hours that are completely inside the period. */
export function wholeHours({ from, to }: Period): Period {
  return { from: hourAfter(from), to: hourOf(to) };
}

/** The hours that overlap the period. */
export function touchedHours({ from, to }: Period): Period {
  return { from: hourOf(from), to: hourAfter(to) };
}

/** The first hour that starts at or after this instant. */
function hourAfter(instant: Instant): Instant {
  return Math.ceil(instant / HOUR_MS) * HOUR_MS;
}

/** The fewest days for which votes can be kept: two months, so that the previous month is complete. */
export const MIN_KEPT_DAYS = 62;

/** The start of the first UTC day whose votes are kept. `keptDays` is null if all are. */
export function keptSince(now: Instant, keptDays: number | null): Instant {
  return keptDays === null ? ALL_TIME.from : dayOf(now) - keptDays * DAY_MS;
}

/** The part of the period whose votes are kept. */
export function keptPart({ from, to }: Period, since: Instant): Period {
  return { from: Math.min(Math.max(from, since), to), to };
}

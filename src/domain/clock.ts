/** Milliseconds since the Unix epoch, used for every instant inside Votary. */
export type Instant = number;

/** The current time. Injected everywhere, so tests advance it instead of waiting. */
export type Clock = () => Instant;

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The output format of instants: UTC, milliseconds, `Z`. */
export function formatInstant(instant: Instant): string {
  const day = Math.floor(instant / DAY_MS);
  // The calendar date is computed once per day: a list of votes has few days, and the rest is looked up.
  if (day !== lastDay) {
    lastDayText = new Date(instant).toISOString().slice(0, -'HH:MM:SS.mmmZ'.length);
    lastDay = day;
  }
  const inDay = instant - day * DAY_MS;
  const minute = Math.floor(inDay / MINUTE_MS);
  const inMinute = inDay - minute * MINUTE_MS;
  const second = Math.floor(inMinute / SECOND_MS);
  return `${lastDayText}${MINUTES[minute]}${TWO_DIGITS[second]}${MILLISECONDS[inMinute - second * SECOND_MS]}`;
}

export function formatInstantOrNull(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

/** The UTC date: `2026-11-15`. */
export function formatDate(instant: Instant): string {
  return formatInstant(instant).slice(0, 'YYYY-MM-DD'.length);
}

/** The UTC month: `2026-11`. */
export function formatYearMonth(instant: Instant): string {
  return formatInstant(instant).slice(0, 'YYYY-MM'.length);
}

let lastDay: number | undefined;
let lastDayText = '';
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
/** `HH:MM:` of every minute of a day. */
const MINUTES = TWO_DIGITS.slice(0, 24).flatMap((hour) => TWO_DIGITS.map((minute) => `${hour}:${minute}:`));
const MILLISECONDS = Array.from({ length: SECOND_MS }, (_, ms) => `.${String(ms).padStart(3, '0')}Z`);

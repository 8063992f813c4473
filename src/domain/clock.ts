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
  const inDay = instant - startOfDay(instant);
  const minute = Math.floor(inDay / MINUTE_MS);
  const inMinute = inDay - minute * MINUTE_MS;
  const second = Math.floor(inMinute / SECOND_MS);
  return `${lastDayText}${MINUTES[minute]}${TWO_DIGITS[second]}${MILLISECONDS[inMinute - second * SECOND_MS]}`;
}

/** The same as bytes, from `at` on: many of them, as in lists, are less work for the garbage collector. Returns where they end. */
export function writeInstant(bytes: Uint8Array, instant: Instant, at: number): number {
  // As an integer of 32 bits, which divides faster.
  const inDay = (instant - startOfDay(instant)) | 0;
  const seconds = (inDay / SECOND_MS) | 0;
  const minutes = (seconds / 60) | 0;
  const hours = (minutes / 60) | 0;
  const ms = inDay - seconds * SECOND_MS;
  const hundredths = (ms / 10) | 0;
  bytes.set(lastDayBytes, at);
  const time = at + lastDayBytes.length;
  writeTwoDigits(bytes, hours, time);
  bytes[time + 2] = COLON;
  writeTwoDigits(bytes, minutes - hours * 60, time + 3);
  bytes[time + 5] = COLON;
  writeTwoDigits(bytes, seconds - minutes * 60, time + 6);
  bytes[time + 8] = POINT;
  writeTwoDigits(bytes, hundredths, time + 9);
  bytes[time + 11] = ZERO + ms - hundredths * 10;
  bytes[time + 12] = LETTER_Z;
  return time + 'HH:MM:SS.mmmZ'.length;
}

function writeTwoDigits(bytes: Uint8Array, value: number, at: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + value - tens * 10;
}

/** The calendar date is computed once per day: a list of votes has few days. */
function startOfDay(instant: Instant): Instant {
  const start = Math.floor(instant / DAY_MS) * DAY_MS;
  if (start !== lastDay) {
    lastDayText = new Date(start).toISOString().slice(0, -'HH:MM:SS.mmmZ'.length);
    lastDayBytes = Buffer.from(lastDayText);
    lastDay = start;
  }
  return start;
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

let lastDay: Instant | undefined;
let lastDayText = '';
let lastDayBytes = Buffer.from(lastDayText);
const [ZERO, COLON, POINT, LETTER_Z] = [0x30, 0x3a, 0x2e, 0x5a];
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
/** `HH:MM:` of every minute of a day. */
const MINUTES = TWO_DIGITS.slice(0, 24).flatMap((hour) => TWO_DIGITS.map((minute) => `${hour}:${minute}:`));
const MILLISECONDS = Array.from({ length: SECOND_MS }, (_, ms) => `.${String(ms).padStart(3, '0')}Z`);

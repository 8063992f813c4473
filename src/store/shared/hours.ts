/**
 * Votes are counted per UTC hour and month when they are stored, so totals never read every vote. An hour or month is
 * identified by its first instant.
 */
import { DAY_MS, HOUR_MS, type Instant } from '../../domain/clock.ts';
import type { Period } from '../../domain/votes/period.ts';

export const HALF_HOUR_MS = HOUR_MS / 2;

export function hourOf(instant: Instant): Instant {
  return Math.floor(instant / HOUR_MS) * HOUR_MS;
}

export function dayOf(instant: Instant): Instant {
  return Math.floor(instant / DAY_MS) * DAY_MS;
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

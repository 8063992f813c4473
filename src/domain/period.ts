import { DAY_MS, type Instant } from './clock.ts';
import { ApiError } from './errors.ts';
import { parseIsoDate } from './iso-date.ts';

/** A half-open span of time: `from` is inside, `to` is not. */
export type Period = { from: Instant; to: Instant };

export const MAX_PERIOD_MS = 31 * DAY_MS;

/** The period of a request that names no dates: from the first instant of the current UTC month until now. */
export function currentMonth(now: Instant): Period {
  const date = new Date(now);
  return { from: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1), to: now };
}

/**
 * The period a request asks for. Dates that are absent (or empty) take their value from `defaults`.
 * Throws `INVALID_DATE`, `INVALID_DATE_RANGE` or `DATE_RANGE_TOO_LARGE`, tried in that order.
 */
export function resolvePeriod(
  given: { from?: string | undefined; to?: string | undefined },
  defaults: Period,
): Period {
  const from = given.from ? readDate(given.from) : defaults.from;
  const to = given.to ? readDate(given.to) : defaults.to;
  const namesNoDate = !given.from && !given.to;
  // With no date given, the first millisecond of a month is an empty period and not the caller's mistake.
  if (namesNoDate && from === to) return { from, to };
  if (from >= to) throw new ApiError('INVALID_DATE_RANGE');
  if (to - from > MAX_PERIOD_MS) throw new ApiError('DATE_RANGE_TOO_LARGE');
  return { from, to };
}

function readDate(text: string): Instant {
  const instant = parseIsoDate(text);
  if (instant === undefined) throw new ApiError('INVALID_DATE');
  return instant;
}

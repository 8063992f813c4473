import { DAY_MS, formatInstant, type Instant } from '../../../domain/clock.ts';
import { ApiError } from '../../../domain/errors.ts';
import { parseIsoDate } from '../../../domain/iso-date.ts';
import { currentMonth, type Period, resolvePeriod } from '../../../domain/period.ts';

/** What the form was filled in with, to fill it in again. */
export type GivenDays = { from: string; to: string };

export type PeriodFault = 'INVALID_DATE' | 'INVALID_DATE_RANGE' | 'DATE_RANGE_TOO_LARGE';

/** This month until today: what the form starts with. */
export function suggestedDays(now: Instant): GivenDays {
  return { from: formatInstant(currentMonth(now).from).slice(0, 10), to: formatInstant(now).slice(0, 10) };
}

/**
 * The period of a download, with the API's rules but for one: a person who picks "to 15 November" means that
 * day too, so a `to` without a time is the end of its day. Exact times are taken as they are.
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

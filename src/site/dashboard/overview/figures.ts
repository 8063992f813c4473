import { DAY_MS, HOUR_MS, type Instant } from '../../../domain/clock.ts';
import { currentMonth, type Period } from '../../../domain/votes/period.ts';
import type { HourlyVotes } from '../../../store/moderation/integrity.ts';
import type { DailyVotes } from '../../../store/votes.ts';

/** How many days the charts can show. */
export const RANGES = [7, 31, 90] as const;
export type Range = (typeof RANGES)[number];

const DEFAULT_RANGE: Range = 31;
const HOURS_A_DAY = 24;

export type Figures = {
  today: number;
  yesterday: number;
  month: number;
  /** `soFar`: until the same time of the month as now. */
  lastMonth: { start: Instant; soFar: number; whole: number };
  /** Of this month's votes; null while there are none. */
  doubledShare: number | null;
  range: Range;
  /** Every day of the chart, including days without votes. */
  days: DailyVotes[];
  /** The votes of these days by hour of the day, UTC. */
  hours: HourOfDay[];
};

export type HourOfDay = { hour: number; votes: number; doubled: number };

export function readRange(text: string | undefined): Range {
  return RANGES.find((range) => String(range) === text) ?? DEFAULT_RANGE;
}

/** The UTC days of the chart, including all of today. */
function chartPeriod(now: Instant, range: Range): Period {
  const tomorrow = startOfDay(now) + DAY_MS;
  return { from: tomorrow - range * DAY_MS, to: tomorrow };
}

/** This month's first instant until the end of today. */
export function monthPeriod(now: Instant): Period {
  return { from: currentMonth(now).from, to: startOfDay(now) + DAY_MS };
}

/** The hours that `figuresAt` needs: those of the chart, and of this month and the one before. */
export function figuresPeriod(now: Instant, range: Range): Period {
  const { from, to } = chartPeriod(now, range);
  return { from: Math.min(from, lastMonthStart(now)), to };
}

export function figuresAt(now: Instant, range: Range, hourly: readonly HourlyVotes[]): Figures {
  const month = monthPeriod(now);
  const start = lastMonthStart(now);
  const sameTime = Math.min(start + (now - month.from), month.from);
  const thisMonth = sumOf(hourly, month);
  const today = startOfDay(now);
  const shown = within(hourly, chartPeriod(now, range));
  return {
    today: sumOf(hourly, { from: today, to: month.to }).votes,
    yesterday: sumOf(hourly, { from: today - DAY_MS, to: today }).votes,
    month: thisMonth.votes,
    lastMonth: {
      start,
      soFar: sumOf(hourly, { from: start, to: sameTime }).votes,
      whole: sumOf(hourly, { from: start, to: month.from }).votes,
    },
    doubledShare: thisMonth.votes === 0 ? null : thisMonth.doubled / thisMonth.votes,
    range,
    days: byDay(shown, chartPeriod(now, range)),
    hours: byHourOfDay(shown),
  };
}

function byDay(hourly: readonly HourlyVotes[], { from, to }: Period): DailyVotes[] {
  const days = Array.from({ length: (to - from) / DAY_MS }, (_, i) => ({
    day: from + i * DAY_MS,
    votes: 0,
    doubled: 0,
  }));
  for (const { hour, votes, doubled } of hourly) {
    const day = days[Math.floor((hour - from) / DAY_MS)];
    if (!day) continue;
    day.votes += votes;
    day.doubled += doubled;
  }
  return days;
}

function byHourOfDay(hourly: readonly HourlyVotes[]): HourOfDay[] {
  const hours = Array.from({ length: HOURS_A_DAY }, (_, hour) => ({ hour, votes: 0, doubled: 0 }));
  for (const { hour, votes, doubled } of hourly) {
    const ofDay = hours[Math.floor((hour - startOfDay(hour)) / HOUR_MS)];
    if (!ofDay) continue;
    ofDay.votes += votes;
    ofDay.doubled += doubled;
  }
  return hours;
}

function within(hourly: readonly HourlyVotes[], { from, to }: Period): HourlyVotes[] {
  return hourly.filter(({ hour }) => hour >= from && hour < to);
}

function sumOf(hourly: readonly HourlyVotes[], period: Period): { votes: number; doubled: number } {
  const sum = { votes: 0, doubled: 0 };
  for (const { votes, doubled } of within(hourly, period)) {
    sum.votes += votes;
    sum.doubled += doubled;
  }
  return sum;
}

function lastMonthStart(now: Instant): Instant {
  return currentMonth(currentMonth(now).from - 1).from;
}

function startOfDay(instant: Instant): Instant {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}

import { DAY_MS, type Instant } from '../../../domain/clock.ts';
import { currentMonth, type Period } from '../../../domain/votes/period.ts';
import type { DailyVotes } from '../../../store/store.ts';

const CHART_DAYS = 31;

export type Figures = {
  today: number;
  month: number;
  /** Of this month's votes; null while there are none. */
  doubledShare: number | null;
  /** Every day of the chart, including days without votes. */
  days: DailyVotes[];
};

/** The UTC days of the chart, including all of today. They always contain the whole current month. */
export function chartPeriod(now: Instant): Period {
  const tomorrow = startOfDay(now) + DAY_MS;
  return { from: tomorrow - CHART_DAYS * DAY_MS, to: tomorrow };
}

/** This month's first instant until the end of today. */
export function monthPeriod(now: Instant): Period {
  return { from: currentMonth(now).from, to: startOfDay(now) + DAY_MS };
}

export function figuresAt(now: Instant, daily: readonly DailyVotes[]): Figures {
  const days = everyDay(chartPeriod(now), daily);
  const month = days.filter(({ day }) => day >= monthPeriod(now).from);
  const votes = sum(month.map((day) => day.votes));
  return {
    today: days.at(-1)?.votes ?? 0,
    month: votes,
    doubledShare: votes === 0 ? null : sum(month.map((day) => day.doubled)) / votes,
    days,
  };
}

function everyDay({ from, to }: Period, daily: readonly DailyVotes[]): DailyVotes[] {
  const known = new Map(daily.map((entry) => [entry.day, entry]));
  return Array.from({ length: (to - from) / DAY_MS }, (_, index) => {
    const day = from + index * DAY_MS;
    return known.get(day) ?? { day, votes: 0, doubled: 0 };
  });
}

function startOfDay(instant: Instant): Instant {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

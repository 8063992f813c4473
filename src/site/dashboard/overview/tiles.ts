/** The four figures at the top of the overview: each with the change since the period before, and a sparkline. */
import { DAY_MS, HOUR_MS, type Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { currentMonth, type Period } from '../../../domain/votes/period.ts';
import type { HourlyVotes } from '../../../store/moderation/unusual.ts';
import type { MonthlyVotes } from '../../../store/votes/votes.ts';
import { formatChange, formatMonth, formatNumber } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { startOfDay, sumOf } from './figures.ts';
import { overviewMessages } from './messages.ts';

export const TILES = ['today', 'week', 'month', 'lastMonth'] as const;
type TileName = (typeof TILES)[number];

/**
 * `before`: the votes of the period before, until the same time as now if the period is not over. `series`: the votes of
 * the sparkline, the newest last.
 */
export type Tile = { name: TileName; votes: number; before: number; start: Instant; series: number[] };

const WEEK_DAYS = 7;
const YEAR_MONTHS = 12;

/** The months that `tilesAt` needs. */
export function tileMonths(now: Instant): Period {
  return { from: monthsBefore(now, YEAR_MONTHS), to: currentMonth(now).from };
}

/** `hourly`: those of `figuresPeriod`. */
export function tilesAt(
  now: Instant,
  hourly: readonly HourlyVotes[],
  monthly: readonly MonthlyVotes[],
): Tile[] {
  const votesIn = (from: Instant, to: Instant) => sumOf(hourly, { from, to }).votes;
  const [today, month, lastMonth] = [startOfDay(now), currentMonth(now).from, monthsBefore(now, 1)];
  const tomorrow = today + DAY_MS;
  const week = tomorrow - WEEK_DAYS * DAY_MS;
  const nextHour = Math.floor(now / HOUR_MS) * HOUR_MS + HOUR_MS;
  const votesInMonth = (start: Instant) => monthly.find((row) => row.month === start)?.votes ?? 0;
  const steps = (from: Instant, to: Instant, size: number) =>
    Array.from({ length: Math.round((to - from) / size) }, (_, i) =>
      votesIn(from + i * size, from + (i + 1) * size),
    );
  const months = Array.from({ length: YEAR_MONTHS }, (_, i) => monthsBefore(now, YEAR_MONTHS - i));
  return [
    {
      name: 'today',
      votes: votesIn(today, tomorrow),
      before: votesIn(today - DAY_MS, now - DAY_MS),
      start: today - DAY_MS,
      series: steps(nextHour - DAY_MS, nextHour, HOUR_MS),
    },
    {
      name: 'week',
      votes: votesIn(week, tomorrow),
      before: votesIn(week - WEEK_DAYS * DAY_MS, now - WEEK_DAYS * DAY_MS),
      start: week - WEEK_DAYS * DAY_MS,
      series: steps(week, tomorrow, DAY_MS),
    },
    {
      name: 'month',
      votes: votesIn(month, tomorrow),
      before: votesIn(lastMonth, Math.min(lastMonth + (now - month), month)),
      start: lastMonth,
      series: steps(month, tomorrow, DAY_MS),
    },
    {
      name: 'lastMonth',
      votes: votesInMonth(lastMonth),
      before: votesInMonth(monthsBefore(now, 2)),
      start: monthsBefore(now, 2),
      series: months.map(votesInMonth),
    },
  ];
}

/** The first instant of the month that many months before the current one. */
function monthsBefore(now: Instant, months: number): Instant {
  const date = new Date(currentMonth(now).from);
  return date.setUTCMonth(date.getUTCMonth() - months);
}

export function tilesView(locale: Locale, tiles: readonly Tile[]): Html {
  return html`<dl class="figures tiles">${tiles.map((tile) => tileView(locale, tile))}</dl>`;
}

function tileView(locale: Locale, tile: Tile): Html {
  const { name, votes, before, start } = tile;
  const text = overviewMessages[locale].tiles[name];
  const hint = text.before(formatNumber(before, locale), formatMonth(start, locale));
  return html`<div class="card figure"><dt class="muted">${text.name}</dt><dd class="figure-value">${formatNumber(votes, locale)}</dd><dd class="muted small-text">${change(locale, votes, before)}${hint}</dd><dd>${sparkline(locale, tile)}</dd></div>`;
}

function change(locale: Locale, votes: number, before: number): Html | null {
  if (before === 0) return null;
  const share = votes / before - 1;
  return html`<span class="trend ${share < 0 ? 'down' : 'up'}">${formatChange(share, locale)}</span> `;
}

/** The size of the drawing, which is stretched to the width of the tile. */
const WIDTH = 120;
const HEIGHT = 32;
/** Half of the line, which would be cut at the edge. */
const MARGIN = 2;

function sparkline(locale: Locale, { name, series }: Tile): Html {
  const highest = Math.max(...series);
  const label = overviewMessages[locale].tiles[name].series(formatNumber(highest, locale));
  // A line needs two points; the first day of a month has one.
  const points = series.length === 1 ? [...series, ...series] : series;
  const line = points
    .map((votes, index) => {
      const x = (index / (points.length - 1)) * WIDTH;
      const y = HEIGHT - MARGIN - (votes / Math.max(1, highest)) * (HEIGHT - 2 * MARGIN);
      return `${round(x)},${round(y)}`;
    })
    .join(' ');
  return html`<svg class="sparkline" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><polygon points="0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}"/><polyline points="${line}"/></svg>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

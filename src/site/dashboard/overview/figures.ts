/**
 * The figures of the overview, counted from hourly votes, and the bar charts that show them.
 *
 * Charts are drawn on the server, so they need no script. Horizontal positions are percentages: a chart is as wide as
 * the page allows, and its text keeps its size. Below each chart is a table with the same figures.
 */
import { DAY_MS, HOUR_MS, type Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { currentMonth, type Period } from '../../../domain/votes/period.ts';
import type { HourlyVotes } from '../../../store/moderation/unusual.ts';
import type { DailyVotes } from '../../../store/votes/votes.ts';
import { formatNumber } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { overviewMessages } from './messages.ts';

/** How many days the charts can show. */
export const RANGES = [7, 31, 90] as const;
export type Range = (typeof RANGES)[number];

const DEFAULT_RANGE: Range = 31;
const HOURS_A_DAY = 24;

export type Figures = {
  /** The share of this month's votes that are doubled; null while there are no votes. */
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

/** From the first instant of this month to the end of today. */
export function monthPeriod(now: Instant): Period {
  return { from: currentMonth(now).from, to: startOfDay(now) + DAY_MS };
}

/** The hours that `figuresAt` and `tilesAt` need: those of the chart, and of this month and the one before. */
export function figuresPeriod(now: Instant, range: Range): Period {
  const { from, to } = chartPeriod(now, range);
  return { from: Math.min(from, lastMonthStart(now)), to };
}

export function figuresAt(now: Instant, range: Range, hourly: readonly HourlyVotes[]): Figures {
  const thisMonth = sumOf(hourly, monthPeriod(now));
  const shown = within(hourly, chartPeriod(now, range));
  return {
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

export function sumOf(hourly: readonly HourlyVotes[], period: Period): { votes: number; doubled: number } {
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

export function startOfDay(instant: Instant): Instant {
  return Math.floor(instant / DAY_MS) * DAY_MS;
}

/** `name` is the whole date or time, `label` its short form for the axis; null leaves it out. */
export type Bar = {
  name: Html | string;
  title: string;
  label: string | null;
  votes: number;
  doubled: number;
};

type Chart = {
  id: string;
  title: string;
  hint: string;
  /** The heading of the first column of the table. */
  unit: string;
  bars: readonly Bar[];
  /** Shown beside the title. */
  controls?: Html;
};

/** The area of the bars, as percentages of the height of the chart. The labels of the bars are below it. */
const TOP = 5;
const BASE = 88;
const LABELS = 98;
const BAR_SHARE = 0.68;
const STEPS = 4;

export function chartView(locale: Locale, chart: Chart): Html {
  const { id, title, hint, bars, controls } = chart;
  const text = overviewMessages[locale];
  const steps = axisSteps(Math.max(...bars.map(({ votes }) => votes)));
  const highest = steps.at(-1) ?? STEPS;
  return html`<section class="card" aria-labelledby="${id}-title">
<div class="row between"><div><h2 id="${id}-title">${title}</h2><p class="muted small-text">${hint}</p></div>${controls}</div>
<div class="bars"><svg class="bars-axis" aria-hidden="true">${steps.map((step) => html`<text x="100%" y="${height(step, highest)}%">${formatNumber(step, locale)}</text>`)}</svg>
<svg class="bars-plot" role="img" aria-label="${summary(locale, chart)}">${steps.map((step) => html`<line class="grid" x1="0" x2="100%" y1="${height(step, highest)}%" y2="${height(step, highest)}%"/>`)}
${bars.map((bar, index) => barView(bar, index, bars.length, highest))}</svg></div>
<ul class="legend small-text"><li><span class="swatch"></span>${text.votes}</li><li><span class="swatch doubled"></span>${text.ofThemDoubled}</li></ul>
${tableView(locale, chart)}</section>`;
}

function barView({ title, label, votes, doubled }: Bar, index: number, count: number, highest: number): Html {
  const slot = 100 / count;
  const start = index * slot;
  const x = percent(start + (slot * (1 - BAR_SHARE)) / 2);
  const part = (name: string, value: number) =>
    value > 0 &&
    html`<rect class="${name}" x="${x}%" y="${height(value, highest)}%" width="${percent(slot * BAR_SHARE)}%" height="${percent(BASE - height(value, highest))}%" rx="2"/>`;
  return html`<g class="slot"><title>${title}</title><rect class="hit" x="${percent(start)}%" y="0" width="${percent(slot)}%" height="${BASE}%"/>${part('bar', votes)}${part('bar doubled', doubled)}${label !== null && html`<text class="${index % 2 ? 'minor' : 'major'}" x="${percent(start + slot / 2)}%" y="${LABELS}%">${label}</text>`}</g>\n`;
}

/** The vertical position of a value. */
function height(value: number, highest: number): number {
  return percent(BASE - (value / highest) * (BASE - TOP));
}

function percent(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Round numbers from zero to the first one that is not below the highest bar. Votes are whole, and so are the steps. */
export function axisSteps(highest: number): number[] {
  const rough = Math.max(1, highest / STEPS);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const count = Math.max(STEPS, Math.ceil(highest / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** What the chart shows, in one sentence. */
function summary(locale: Locale, { title, bars }: Chart): string {
  const total = bars.reduce((sum, { votes }) => sum + votes, 0);
  const most = bars.reduce((a, b) => (b.votes > a.votes ? b : a));
  return overviewMessages[locale].summary(title, formatNumber(total, locale), most.title);
}

function tableView(locale: Locale, { id, title, unit, bars }: Chart): Html {
  const text = overviewMessages[locale];
  const row = ({ name, votes, doubled }: Bar) =>
    html`<tr><th scope="row">${name}</th><td class="number">${formatNumber(votes, locale)}</td><td class="number">${formatNumber(doubled, locale)}</td></tr>`;
  return html`<details><summary>${text.asTable}</summary>
<div class="table-frame tall" tabindex="0" role="group" aria-label="${title}"><table id="${id}-table"><caption class="visually-hidden">${title}</caption>
<thead><tr><th scope="col">${unit}</th><th scope="col" class="number">${text.votes}</th><th scope="col" class="number">${text.ofThemDoubled}</th></tr></thead>
<tbody>${bars.map(row)}</tbody></table></div></details>`;
}

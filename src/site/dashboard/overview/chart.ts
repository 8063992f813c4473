/**
 * Bar charts, drawn on the server so that they need no script. Horizontal positions are percentages: a chart is as wide as
 * the page allows, and its text keeps its size. The figures are in a table below each chart, too.
 */
import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';
import { formatNumber } from '../format.ts';
import { overviewMessages } from './messages.ts';

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
  /** Beside the title. */
  controls?: Html;
};

/** The area of the bars, as percentages of the height of the drawing. The labels of the bars are below it. */
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

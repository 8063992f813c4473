import { formatInstant, SECOND_MS } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import type { DailyVotes } from '../../../store/store.ts';
import { type Html, html } from '../../html.ts';
import { CHART_LIBRARY } from '../chart-library.ts';
import { formatDay, formatNumber } from '../format.ts';
import { overviewMessages } from './messages.ts';

/**
 * The figures stand in a table, which everybody can read. A script draws the chart from that very table, and
 * only then takes the place of it: without scripts the chart's frame is not there at all (dashboard.css).
 */
export function chartView(locale: Locale, days: readonly DailyVotes[]): Html {
  const text = overviewMessages[locale];
  return html`<section class="card" aria-labelledby="chart-title">
<div class="row between"><div><h2 id="chart-title">${text.chart}</h2><p class="muted small-text">${text.chartHint}</p></div>
<ul class="legend small-text"><li><span class="swatch" id="swatch-votes"></span>${text.votes}</li><li><span class="swatch doubled" id="swatch-doubled"></span>${text.ofThemDoubled}</li></ul></div>
<div class="chart" id="chart" aria-hidden="true" data-table="chart-table" data-script="${CHART_LIBRARY.script}" data-style="${CHART_LIBRARY.style}" data-failed="${text.chartFailed}"><p class="chart-state muted">${text.loading}</p></div>
<details><summary>${text.asTable}</summary>
<div class="table-frame tall" tabindex="0" role="group" aria-label="${text.tableCaption}">
<table id="chart-table"><caption class="visually-hidden">${text.tableCaption}</caption>
<thead><tr><th scope="col">${text.day}</th><th scope="col" class="number">${text.votes}</th><th scope="col" class="number">${text.ofThemDoubled}</th></tr></thead>
<tbody>${days.toReversed().map((day) => row(locale, day))}</tbody></table></div></details></section>`;
}

function row(locale: Locale, { day, votes, doubled }: DailyVotes): Html {
  return html`<tr data-day="${day / SECOND_MS}" data-votes="${votes}" data-doubled="${doubled}"><th scope="row"><time datetime="${formatInstant(day).slice(0, 10)}">${formatDay(day, locale)}</time></th><td class="number">${formatNumber(votes, locale)}</td><td class="number">${formatNumber(doubled, locale)}</td></tr>`;
}

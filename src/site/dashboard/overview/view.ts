import { formatInstant, type Instant, SECOND_MS } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import type { DailyVotes, Voter } from '../../../store/store.ts';
import { type Content, type Html, html } from '../../layout/html.ts';
import { CHART_LIBRARY } from '../chart-library.ts';
import { formatAgo, formatDay, formatMonth, formatNumber, formatPercent, momentTag } from '../format.ts';
import { tabAddress } from '../frame.ts';
import { type People, personTag } from '../people.ts';
import type { Figures } from './figures.ts';
import { overviewMessages } from './messages.ts';
import { type Unusual, unusualView } from './unusual.ts';

export type Overview = {
  guildId: string;
  now: Instant;
  figures: Figures;
  lastVote: Vote | undefined;
  topVoters: Voter[];
  people: People;
  unusual: Unusual;
};

export function overviewView(locale: Locale, overview: Overview): Html {
  const { guildId, now, figures, lastVote } = overview;
  const text = overviewMessages[locale];
  const share = figures.doubledShare === null ? '–' : formatPercent(figures.doubledShare, locale);
  return html`<dl class="figures">
${figure(text.today, formatNumber(figures.today, locale), text.todayHint)}
${figure(text.month, formatNumber(figures.month, locale), formatMonth(now, locale))}
${figure(text.doubled, share, text.doubledHint)}
${lastVote ? figure(text.lastVote, formatAgo(lastVote.castAt, now, locale), momentTag(lastVote.castAt, locale)) : figure(text.lastVote, text.never, text.neverHint)}
</dl>
${lastVote ? charts(locale, overview) : emptyView(locale, guildId)}`;
}

function figure(name: string, value: string, hint: Content): Html {
  return html`<div class="card figure"><dt class="muted">${name}</dt><dd class="figure-value">${value}</dd><dd class="muted small-text">${hint}</dd></div>`;
}

function charts(locale: Locale, overview: Overview): Html {
  return html`<div class="overview-grid">${chartView(locale, overview.figures.days)}${topVotersView(locale, overview)}</div>
${unusualView(locale, overview.unusual)}`;
}

function emptyView(locale: Locale, guildId: string): Html {
  const text = overviewMessages[locale].empty;
  return html`<div class="card center"><h2>${text.title}</h2><p class="muted measure">${text.text}</p>
<a class="button" href="${tabAddress(guildId, 'key')}#vote-links">${text.action}</a></div>`;
}

function topVotersView(locale: Locale, { guildId, now, topVoters, people }: Overview): Html {
  const text = overviewMessages[locale];
  return html`<section class="card" aria-labelledby="top-voters"><div><h2 id="top-voters">${text.topVoters}</h2>
<p class="muted small-text">${text.topVotersOf(formatMonth(now, locale))}</p></div>
${topVoters.length === 0 ? html`<p class="muted">${text.noVoters}</p>` : voterTable(locale, guildId, topVoters, people)}</section>`;
}

function voterTable(locale: Locale, guildId: string, voters: readonly Voter[], people: People): Html {
  const text = overviewMessages[locale];
  return html`<table class="compact"><thead><tr><th scope="col"><span class="visually-hidden">${text.rank}</span></th><th scope="col">${text.user}</th><th scope="col" class="number">${text.votes}</th></tr></thead>
<tbody>${voters.map(
    ({ userId, votes }, index) =>
      html`<tr><td class="muted">${index + 1}</td><td>${personTag(locale, people, userId, `${tabAddress(guildId, 'votes')}?user=${userId}`)}</td><td class="number">${formatNumber(votes, locale)}</td></tr>`,
  )}</tbody></table>`;
}

/**
 * The figures are in an accessible table. A script draws the chart from that table and then replaces it; without
 * scripts the chart frame is hidden (dashboard.css).
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

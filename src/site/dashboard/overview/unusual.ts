/**
 * What is unusual about a community's votes: bursts, and marked votes. Networks are only counted and never shown, so
 * that voters cannot be linked by their network.
 */

import { DAY_MS, type Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { VOTE_MARKS, type VoteMark } from '../../../domain/votes/marks.ts';
import type { GuildSummary, HourlyVotes, MarkedDay } from '../../../store/moderation/unusual.ts';
import type { Store } from '../../../store/store.ts';
import { formatDay, formatNumber, momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { unusualMessages } from './unusual-messages.ts';

const DAYS = 14;
const HOURS_A_DAY = 24;

/** `busy`: the votes of a busy hour of this community. */
type Burst = { hour: Instant; votes: number; busy: number };

export type Unusual = GuildSummary & { bursts: Burst[] };

/** An hour is a burst with at least this many votes, and this many times as many as a busy hour. */
const BURST_VOTES = 20;
const BURST_FACTOR = 5;
/** A busy hour is the 90th percentile of all hours, including those without votes. */
const BUSY_SHARE = 0.9;
const SHOWN_BURSTS = 3;

/** The largest bursts among the hours that have votes. */
export function findBursts(hours: readonly Pick<HourlyVotes, 'hour' | 'votes'>[]): Burst[] {
  const ascending = hours.map(({ votes }) => votes).sort((a, b) => a - b);
  const withoutVotes = DAYS * HOURS_A_DAY - hours.length;
  const busy = ascending[Math.floor(DAYS * HOURS_A_DAY * BUSY_SHARE) - withoutVotes] ?? 0;
  return hours
    .filter(({ votes }) => votes >= Math.max(BURST_VOTES, BURST_FACTOR * busy))
    .map(({ hour, votes }) => ({ hour, votes, busy }))
    .sort((a, b) => b.votes - a.votes || b.hour - a.hour)
    .slice(0, SHOWN_BURSTS);
}

/** `hourly`: the votes of at least the days that are examined. */
export async function readUnusual(
  { unusual }: Store,
  guildId: string,
  now: Instant,
  hourly: readonly HourlyVotes[],
): Promise<Unusual> {
  const today = now - (now % DAY_MS);
  const from = today - (DAYS - 1) * DAY_MS;
  const summary = await unusual.summarize(guildId, from);
  const hours = hourly.filter(({ hour }) => hour >= from && hour <= now);
  return { ...summary, days: everyDay(from, summary.days), bursts: findBursts(hours) };
}

function everyDay(from: Instant, known: readonly MarkedDay[]): MarkedDay[] {
  const none = { young_account: 0, busy_network: 0, shared_name: 0 };
  return Array.from({ length: DAYS }, (_, index) => {
    const day = from + index * DAY_MS;
    return known.find((entry) => entry.day === day) ?? { day, ...none };
  });
}

export function unusualView(locale: Locale, unusual: Unusual): Html {
  const text = unusualMessages[locale];
  const lines = unusualLines(locale, unusual);
  const hasMarks = unusual.days.some((day) => total(day) > 0);
  return html`<section class="card" aria-labelledby="unusual"><div><h2 id="unusual">${text.title}</h2><p class="muted small-text">${text.hint(DAYS)}</p></div>
${lines.length === 0 ? html`<p class="muted">${text.nothing}</p>` : html`<ul class="unusual-lines">${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
${hasMarks && html`${chart(locale, unusual.days)}${table(locale, unusual.days)}`}</section>`;
}

function unusualLines(locale: Locale, { days, bursts, sharedNames, busyNetworks }: Unusual): Html[] {
  const text = unusualMessages[locale];
  const number = (value: number) => formatNumber(value, locale);
  const votesText = (count: number) => text.votes(count, number(count));
  const sumOf = (mark: VoteMark) => days.reduce((sum, day) => sum + day[mark], 0);
  const names = sharedNames.map(
    ({ name, votes }, index) => html`${index > 0 && ', '}<bdi>${name}</bdi> (${number(votes)})`,
  );
  const lines = bursts.map(({ hour, votes, busy }) =>
    text.burst(votesText(votes), momentTag(hour, locale), number(busy)),
  );
  const [shared, busy, young] = [sumOf('shared_name'), sumOf('busy_network'), sumOf('young_account')];
  if (shared > 0) lines.push(text.sharedNames(votesText(shared), html`${names}`));
  if (busy > 0)
    lines.push(text.busyNetworks(votesText(busy), busyNetworks > 0 ? number(busyNetworks) : null));
  if (young > 0) lines.push(text.youngAccounts(votesText(young)));
  return lines;
}

function total(day: MarkedDay): number {
  return VOTE_MARKS.reduce((sum, mark) => sum + day[mark], 0);
}

const BAR_WIDTH = 16;
const BAR_STEP = 20;
const CHART_HEIGHT = 60;

/** Drawn on the server, so that it needs no script. The table below it has the same figures. */
function chart(locale: Locale, days: readonly MarkedDay[]): Html {
  const text = unusualMessages[locale];
  const highest = Math.max(...days.map(total));
  const width = days.length * BAR_STEP;
  const bars = days.flatMap((day, index) => {
    let top = CHART_HEIGHT;
    return VOTE_MARKS.map((mark) => {
      const height = Math.round((day[mark] / highest) * CHART_HEIGHT);
      top -= height;
      return html`<rect class="bar ${mark}" x="${index * BAR_STEP}" y="${top}" width="${BAR_WIDTH}" height="${height}"/>`;
    });
  });
  return html`<svg class="unusual-chart" viewBox="0 0 ${width} ${CHART_HEIGHT}" aria-hidden="true">${bars}</svg>
<ul class="legend small-text unusual-legend">${VOTE_MARKS.map((mark) => html`<li><span class="swatch ${mark}"></span>${text.marks[mark]}</li>`)}</ul>`;
}

function table(locale: Locale, days: readonly MarkedDay[]): Html {
  const text = unusualMessages[locale];
  return html`<details><summary>${text.asTable}</summary>
<div class="table-frame tall" tabindex="0" role="group" aria-label="${text.title}"><table><caption class="visually-hidden">${text.title}</caption>
<thead><tr><th scope="col">${text.day}</th>${VOTE_MARKS.map((mark) => html`<th scope="col" class="number">${text.marks[mark]}</th>`)}</tr></thead>
<tbody>${days
    .toReversed()
    .map(
      (day) =>
        html`<tr><th scope="row">${formatDay(day.day, locale)}</th>${VOTE_MARKS.map((mark) => html`<td class="number">${formatNumber(day[mark], locale)}</td>`)}</tr>`,
    )}</tbody></table></div></details>`;
}

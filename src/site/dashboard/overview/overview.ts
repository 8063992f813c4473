import type { FastifyInstance } from 'fastify';
import { formatDate, type Instant } from '../../../domain/clock.ts';
import { isActive } from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import type { Vote } from '../../../domain/votes/vote.ts';
import type { Voter } from '../../../store/votes/votes.ts';
import { labelOf } from '../../../store/webhooks/admin.ts';
import type { WebhookEndpoint } from '../../../store/webhooks/store.ts';
import {
  formatAgo,
  formatDay,
  formatDayOfMonth,
  formatMonth,
  formatNumber,
  formatPercent,
  momentTag,
} from '../../layout/format.ts';
import { type Content, type Html, html } from '../../layout/html.ts';
import { type People, personTag } from '../../layout/people.ts';
import { adminOf } from '../access.ts';
import { sendTab, tabAddress } from '../frame.ts';
import { type LiveDeps, liveSource } from '../live.ts';
import { isFailing } from '../webhooks/endpoint-view.ts';
import {
  type Bar,
  chartView,
  type Figures,
  figuresAt,
  figuresPeriod,
  type HourOfDay,
  RANGES,
  type Range,
  readRange,
} from './figures.ts';
import { overviewMessages } from './messages.ts';
import { nextStepRoute, nextStepView, readSetup } from './next-step.ts';
import { type Tile, tileMonths, tilesAt, tilesView } from './tiles.ts';
import { readUnusual, type Unusual, unusualView } from './unusual.ts';

const TOP_VOTERS = 10;

export function overviewRoute(app: FastifyInstance, deps: LiveDeps): void {
  const { store, clock, leaderboards } = deps;
  nextStepRoute(app, deps);

  app.get('', async (request, reply) => {
    const { guild } = adminOf(request);
    const { guildId } = guild;
    const now = clock();
    const range = readRange(firstText(request.query, 'days'));
    // Read first, so that the page is updated if something changes in the meantime.
    const liveState = await deps.live.stateOf(guildId, 'votes');
    const [hourly, monthly, [lastVote], endpoints] = await Promise.all([
      store.unusual.hourly(guildId, figuresPeriod(now, range)),
      store.votes.monthly(guildId, tileMonths(now)),
      store.votes.recent(guildId, null, null, 1),
      deps.webhooks.listEndpoints(guildId),
    ]);
    const figures = figuresAt(now, range, hourly);
    const unusual = await readUnusual(store, guildId, now, hourly);
    // Up to ten seconds old. All other figures are cheap and always current.
    const { voters: topVoters } = await leaderboards.ofMonth(guildId, now, TOP_VOTERS);
    const setup = await readSetup(deps, guild, lastVote !== undefined);
    const people = await store.users.find(topVoters.map(({ userId }) => userId));
    const overview = {
      guildId,
      now,
      figures,
      tiles: tilesAt(now, hourly, monthly),
      lastVote,
      hasNextStep: setup !== null && isActive(guild),
      topVoters,
      people,
      unusual,
      failing: endpoints.filter(isFailing),
    };
    return sendTab(request, reply, deps, {
      guild,
      tab: 'overview',
      view: (context) =>
        html`${nextStepView(context, guildId, setup)}${overviewView(context.locale, overview)}${liveSource(context.locale, guildId, 'votes', liveState)}`,
      scripts: ['dashboard/chart.js', 'dashboard/live.js'],
      styles: ['dashboard/overview.css', 'dashboard/tiles.css'],
    });
  });
}

type Overview = {
  guildId: string;
  now: Instant;
  figures: Figures;
  tiles: readonly Tile[];
  lastVote: Vote | undefined;
  /** Whether the page shows what to do next. */
  hasNextStep: boolean;
  topVoters: Voter[];
  people: People;
  unusual: Unusual;
  /** Endpoints that are disabled or failing. */
  failing: readonly WebhookEndpoint[];
};

function overviewView(locale: Locale, overview: Overview): Html {
  const { lastVote, failing, guildId } = overview;
  return html`${failing.length > 0 && failingNotice(locale, guildId, failing)}
<div class="stack wide-gap" id="live-figures" data-live>${lastVote && figuresView(locale, overview, lastVote)}</div>
<div class="stack wide-gap" id="live-charts" data-live>${lastVote ? charts(locale, overview) : emptyView(locale, overview)}</div>`;
}

function failingNotice(locale: Locale, guildId: string, failing: readonly WebhookEndpoint[]): Html {
  const text = overviewMessages[locale].failing;
  const line = (endpoint: WebhookEndpoint) => {
    const { name, host } = labelOf(endpoint);
    const { disabled, failingSince } = endpoint;
    return html`<li><strong><bdi>${name ?? host}</bdi></strong> ${disabled ? text.disabledSince : text.failingSince} ${momentTag(disabled?.at ?? failingSince ?? 0, locale)}</li>`;
  };
  return html`<div class="notice bad stack"><p><strong>${text.title}</strong></p><ul class="lines">${failing.map(line)}</ul>
<p><a href="${tabAddress(guildId, 'webhooks')}">${text.action}</a></p></div>`;
}

function figuresView(locale: Locale, { now, figures, tiles }: Overview, lastVote: Vote): Html {
  const text = overviewMessages[locale];
  const { doubledShare } = figures;
  return html`${tilesView(locale, tiles)}
<dl class="facts small-text">${fact(text.lastVote, formatAgo(lastVote.castAt, now, locale), momentTag(lastVote.castAt, locale))}
${doubledShare !== null && fact(text.doubled, formatPercent(doubledShare, locale), text.doubledHint)}</dl>`;
}

function fact(name: string, value: string, hint: Content): Html {
  return html`<div><dt class="muted">${name}</dt><dd>${value}</dd><dd class="muted">${hint}</dd></div>`;
}

function charts(locale: Locale, overview: Overview): Html {
  const { guildId, figures } = overview;
  const text = overviewMessages[locale];
  const { range, days, hours } = figures;
  return html`<div class="overview-grid">${chartView(locale, {
    id: 'days',
    title: text.chart,
    hint: text.rangeHint(range),
    unit: text.day,
    bars: dayBars(locale, days, range),
    controls: ranges(locale, guildId, range),
  })}${topVotersView(locale, overview)}</div>
${chartView(locale, { id: 'hours', title: text.hours, hint: text.rangeHint(range), unit: text.hour, bars: hourBars(locale, hours) })}
${unusualView(locale, overview.unusual)}`;
}

function ranges(locale: Locale, guildId: string, current: Range): Html {
  const text = overviewMessages[locale];
  return html`<nav class="row ranges" aria-label="${text.ranges}">${RANGES.map(
    (range) =>
      html`<a class="button small secondary" href="${tabAddress(guildId, 'overview')}?days=${range}"${range === current && html` aria-current="true"`}>${text.days(range)}</a>`,
  )}</nav>`;
}

/** The number of days from one label to the next. */
const LABEL_STEPS: Record<Range, number> = { 7: 1, 31: 5, 90: 15 };

function dayBars(locale: Locale, days: Figures['days'], range: Range): Bar[] {
  const text = overviewMessages[locale];
  return days.map(({ day, votes, doubled }, index) => {
    const date = formatDay(day, locale);
    return {
      name: html`<time datetime="${formatDate(day)}">${date}</time>`,
      title: text.barTitle(date, formatNumber(votes, locale), formatNumber(doubled, locale)),
      label: (days.length - 1 - index) % LABEL_STEPS[range] === 0 ? formatDayOfMonth(day, locale) : null,
      votes,
      doubled,
    };
  });
}

const HOUR_LABEL_STEP = 3;

function hourBars(locale: Locale, hours: readonly HourOfDay[]): Bar[] {
  const text = overviewMessages[locale];
  return hours.map(({ hour, votes, doubled }) => {
    const name = `${String(hour).padStart(2, '0')}:00`;
    return {
      name,
      title: text.barTitle(`${name} UTC`, formatNumber(votes, locale), formatNumber(doubled, locale)),
      label: hour % HOUR_LABEL_STEP === 0 ? name : null,
      votes,
      doubled,
    };
  });
}

/** The next step is the primary action, if there is one. */
function emptyView(locale: Locale, { guildId, hasNextStep }: Overview): Html {
  const text = overviewMessages[locale].empty;
  return html`<div class="card center"><h2>${text.title}</h2><p class="muted measure">${text.text}</p>
<a class="button${hasNextStep && ' secondary'}" href="${tabAddress(guildId, 'key')}#vote-links">${text.action}</a></div>`;
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

/**
 * The operator console at `/operator`, for the people in VOTARY_OPERATORS, with its first page. Everything is registered in one scope that authorizes (page.ts), so no route can skip the check.
 */
import type { FastifyInstance } from 'fastify';
import { DAY_MS, type Instant } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import type { Maintenance } from '../../domain/maintenance.ts';
import { VOTE_REFUSALS, type VoteRefusal } from '../../domain/votes/refusals.ts';
import { type FailingEndpoint, type InstanceCounts, MAX_COUNTED } from '../../store/moderation/operator.ts';
import type { Tally } from '../../store/moderation/tallies.ts';
import { protectForms } from '../dashboard/access.ts';
import { destinationMessages } from '../dashboard/webhooks/destination-messages.ts';
import { formatNumber, momentTag } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { banRoutes } from './bans.ts';
import { communityRoutes } from './community.ts';
import { communityListRoute } from './community-list.ts';
import { logRoute } from './log.ts';
import { operatorMessages } from './messages.ts';
import { authorizeOperators, communityLink, type OperatorDeps, sendOperatorPage } from './page.ts';
import { tokenRoutes } from './tokens.ts';
import { unusualRoute } from './unusual.ts';
import { voidRoutes } from './voiding.ts';

export async function operatorConsole(app: FastifyInstance, deps: OperatorDeps): Promise<void> {
  protectForms(app);
  app.register(
    async (pages) => {
      authorizeOperators(pages, deps);
      overviewRoute(pages, deps);
      communityListRoute(pages, deps);
      communityRoutes(pages, deps);
      unusualRoute(pages, deps);
      voidRoutes(pages, deps);
      banRoutes(pages, deps);
      tokenRoutes(pages, deps);
      logRoute(pages, deps);
    },
    { prefix: '/operator' },
  );
}

const SHOWN_ENDPOINTS = 50;
const DAYS = { today: 1, week: 7, month: 30 } as const;
const SPANS = ['today', 'week', 'month'] as const;

function overviewRoute(app: FastifyInstance, deps: OperatorDeps): void {
  const { store, clock, tallies } = deps;
  app.get('', async (request, reply) => {
    const now = clock();
    const today = now - (now % DAY_MS);
    // Includes what this process has just counted.
    await tallies.flush();
    const [maintenance, counts, counted, failing] = await Promise.all([
      store.maintenance.find(),
      store.operator.counts(now),
      store.operator.tallies(today - (DAYS.month - 1) * DAY_MS),
      store.operator.failingEndpoints(SHOWN_ENDPOINTS),
    ]);
    return sendOperatorPage(request, reply, deps, {
      tab: 'overview',
      view: ({ locale }) =>
        html`${maintenance && maintenanceNotice(locale, maintenance)}${figures(locale, counts)}${tallyTable(locale, counted, today)}${failingTable(locale, failing)}`,
    });
  });
}

function maintenanceNotice(locale: Locale, { since, message }: Maintenance): Html {
  const text = operatorMessages[locale].overview;
  return html`<section class="card"><p><span class="badge bad">${text.maintenance} ${momentTag(since, locale)}</span></p>${message !== null && html`<p><bdi>${message}</bdi></p>`}<p class="muted small-text">${text.maintenanceEnd}</p></section>`;
}

function figures(locale: Locale, counts: InstanceCounts): Html {
  const { overview: text, atLeast } = operatorMessages[locale];
  const shown = (count: number) => formatNumber(count, locale);
  const upTo = (count: number) => (count === MAX_COUNTED ? atLeast(shown(count)) : shown(count));
  return html`<dl class="figures">
${figure(text.communities, shown(counts.communities), text.communitiesHint(shown(counts.sanctioned), shown(counts.unlisted)))}
${figure(text.bans, upTo(counts.bans), null)}
${figure(text.pending, upTo(counts.pendingDeliveries), text.pendingHint)}
</dl>`;
}

function figure(name: string, value: string, hint: Content): Html {
  return html`<div class="card figure"><dt class="muted">${name}</dt><dd class="figure-value">${value}</dd>${hint !== null && html`<dd class="muted small-text">${hint}</dd>`}</div>`;
}

const REFUSED = 'refused_';

function tallyTable(locale: Locale, tallies: readonly Tally[], today: Instant): Html {
  const text = operatorMessages[locale].overview;
  const refusals = VOTE_REFUSALS.filter((reason) => tallies.some(({ name }) => name === REFUSED + reason));
  const rows = [
    { label: text.votes, name: 'votes' },
    { label: text.signIns, name: 'sign_ins' },
    ...refusals.map((reason) => ({ label: refusalLabel(locale, reason), name: REFUSED + reason })),
  ];
  const sum = (name: string, days: number) =>
    tallies
      .filter((tally) => tally.name === name && tally.day > today - days * DAY_MS)
      .reduce((total, { count }) => total + count, 0);
  return html`<section class="card" aria-labelledby="tallies"><h2 id="tallies">${text.perDay}</h2>
<div class="table-frame" tabindex="0" role="group" aria-labelledby="tallies"><table>
<thead><tr><th scope="col"><span class="visually-hidden">${text.perDay}</span></th>${SPANS.map((span) => html`<th scope="col" class="number">${text[span]}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ label, name }) =>
      html`<tr><th scope="row">${label}</th>${SPANS.map((span) => html`<td class="number">${formatNumber(sum(name, DAYS[span]), locale)}</td>`)}</tr>`,
  )}</tbody></table></div>
${refusals.length === 0 && html`<p class="muted">${text.noRefusals}</p>`}</section>`;
}

function refusalLabel(locale: Locale, reason: VoteRefusal): string {
  const { overview: text, colon } = operatorMessages[locale];
  return `${text.refused}${colon} ${text.refusals[reason]}`;
}

function failingTable(locale: Locale, endpoints: readonly FailingEndpoint[]): Html {
  const messages = operatorMessages[locale];
  const text = messages.overview;
  if (endpoints.length === 0)
    return html`<section class="card" aria-labelledby="failing"><h2 id="failing">${text.failing}</h2><p class="muted">${text.noFailing}</p></section>`;
  return html`<section class="card" aria-labelledby="failing"><h2 id="failing">${text.failing}</h2>
<div class="table-frame" tabindex="0" role="group" aria-labelledby="failing"><table class="stacked">
<thead><tr><th scope="col">${messages.community}</th><th scope="col">${text.endpoint}</th><th scope="col">${text.failingSince}</th></tr></thead>
<tbody>${endpoints.map((endpoint) => failingRow(locale, endpoint))}</tbody></table></div></section>`;
}

/** Only the host of the URL: its path may contain a secret. */
function failingRow(locale: Locale, endpoint: FailingEndpoint): Html {
  const { guildId, guild, name, kind, url, failingSince, disabledAt } = endpoint;
  const { host } = new URL(url);
  const since = failingSince ?? disabledAt;
  const kindName = destinationMessages[locale].kinds[kind].name;
  return html`<tr><td>${communityLink(guildId, guild)}</td><td>${name !== null && html`<bdi>${name}</bdi> · `}${kindName} · <bdi class="mono">${host}</bdi></td><td>${since !== null && momentTag(since, locale)}
${disabledAt !== null && html`<span class="badge bad">${operatorMessages[locale].overview.disabled}</span>`}</td></tr>`;
}

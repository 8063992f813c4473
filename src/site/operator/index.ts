/**
 * The operator console at `/operator`, for the people in VOTARY_OPERATORS, with its first page and the log of what
 * operators did. Everything is registered in one scope that authorizes (page.ts), so no route can skip the check.
 */
import type { FastifyInstance } from 'fastify';
import { DAY_MS, type Instant } from '../../domain/clock.ts';
import type { Locale } from '../../domain/locale.ts';
import type { Maintenance } from '../../domain/maintenance.ts';
import { firstText } from '../../domain/record.ts';
import { VOTE_REFUSALS, type VoteRefusal } from '../../domain/votes/refusals.ts';
import type { AuditDetail, AuditPosition, RecordedAudit } from '../../store/moderation/audit.ts';
import { type FailingEndpoint, type InstanceCounts, MAX_COUNTED } from '../../store/moderation/operator.ts';
import type { Tally } from '../../store/moderation/tallies.ts';
import { protectForms } from '../dashboard/access.ts';
import { goalText } from '../goal/goal.ts';
import { actorTag, formatNumber, momentTag, type People, personTag } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { voterRoleText } from '../voter-role/voter-role.ts';
import { banRoutes } from './bans.ts';
import { communityRoutes } from './communities.ts';
import { operatorMessages } from './messages.ts';
import {
  authorizeOperators,
  communityLink,
  cutPage,
  type OperatorDeps,
  PAGE_SIZE,
  pager,
  sendOperatorPage,
} from './page.ts';
import { tokenRoutes } from './tokens.ts';
import { unusualRoute } from './unusual.ts';
import { voidRoutes } from './voiding.ts';

export async function operatorConsole(app: FastifyInstance, deps: OperatorDeps): Promise<void> {
  protectForms(app);
  app.register(
    async (pages) => {
      authorizeOperators(pages, deps);
      overviewRoute(pages, deps);
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
function failingRow(locale: Locale, { guildId, url, failingSince, disabledAt }: FailingEndpoint): Html {
  const { host } = new URL(url);
  const since = failingSince ?? disabledAt;
  return html`<tr><td>${communityLink(guildId, undefined)}</td><td><bdi class="mono">${host}</bdi></td><td>${since !== null && momentTag(since, locale)}
${disabledAt !== null && html`<span class="badge bad">${operatorMessages[locale].overview.disabled}</span>`}</td></tr>`;
}

const LOG_POSITION = /^(\d{1,15})_(\d{1,15})$/;

/** An invalid position leads to the newest entries. */
function readLogPosition(query: unknown): AuditPosition | null {
  const [, at, id] = LOG_POSITION.exec(firstText(query, 'before') ?? '') ?? [];
  return id === undefined ? null : { at: Number(at), id: Number(id) };
}

function logRoute(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/log', async (request, reply) => {
    const before = readLogPosition(request.query);
    const found = await deps.store.audit.recent(before, PAGE_SIZE + 1);
    const { shown: entries, last } = cutPage(found);
    const people = await deps.store.users.find(
      entries.flatMap(({ actor, detail }) => [
        ...(actor && 'userId' in actor ? [actor.userId] : []),
        ...(detail.userId === undefined ? [] : [detail.userId]),
      ]),
    );
    const next = last ? `/operator/log?before=${last.at}_${last.id}` : null;
    return sendOperatorPage(request, reply, deps, {
      tab: 'log',
      view: ({ locale }) =>
        html`${logView(locale, entries, people)}${pager(locale, { first: before && '/operator/log', next })}`,
    });
  });
}

function logView(locale: Locale, entries: readonly RecordedAudit[], people: People): Html {
  const text = operatorMessages[locale];
  return html`<section class="card" aria-labelledby="log"><div class="stack"><h2 id="log">${text.tabs.log}</h2><p class="muted small-text">${text.log.hint}</p></div>
${entries.length === 0 ? html`<p class="empty">${text.log.empty}</p>` : logTable(locale, entries, people)}</section>`;
}

function logTable(locale: Locale, entries: readonly RecordedAudit[], people: People): Html {
  const text = operatorMessages[locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="log"><table class="stacked activity">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.who}</th><th scope="col">${text.what}</th></tr></thead>
<tbody>${entries.map((entry) => logRow(locale, entry, people))}</tbody></table></div>`;
}

function logRow(locale: Locale, { at, actor, action, guildId, detail }: RecordedAudit, people: People): Html {
  const text = operatorMessages[locale];
  return html`<tr><td><span class="nowrap">${momentTag(at, locale)}</span></td><td>${whoTag(locale, actor, people)}</td><td>${text.actions[action]}
${guildId !== null && html`<br><a class="mono" href="/operator/communities/${guildId}">${guildId}</a>`}${logDetails(locale, detail, people)}</td></tr>`;
}

function whoTag(locale: Locale, actor: RecordedAudit['actor'], people: People): Html {
  const text = operatorMessages[locale];
  if (!actor) return html`<span class="badge">${text.commandLine}</span>`;
  if ('userId' in actor) return actorTag(locale, people, actor);
  return html`<span class="badge">${text.token}</span> <bdi title="${actor.tokenId}">${actor.name}</bdi>`;
}

function limitText(locale: Locale, limit: number | null | undefined): string | undefined {
  if (limit === undefined) return undefined;
  return limit === null ? operatorMessages[locale].defaultLimit : formatNumber(limit, locale);
}

/** The details of an entry, each with its label. */
function logDetails(locale: Locale, detail: AuditDetail, people: People): Html[] {
  const text = operatorMessages[locale];
  const {
    guild,
    name,
    userId,
    until,
    reason,
    batch,
    votes,
    selection,
    token,
    scopes,
    rateLimit,
    goal,
    playerNames,
    listforgeConsumer,
    voterRole,
  } = detail;
  const named: [label: string, value: Html | string | undefined | null][] = [
    [text.community, guild],
    [text.name, name],
    [text.user, userId && personTag(locale, people, userId)],
    [text.until, until === null ? text.none : until],
    [text.voiding.which, selection],
    [text.voiding.votes, votes === undefined ? undefined : formatNumber(votes, locale)],
    [text.voiding.batch, batch],
    [text.reason, reason],
    [text.token, token],
    [text.scopes, scopes],
    [text.rateLimit, limitText(locale, rateLimit)],
    [text.goal, goal === undefined ? undefined : goalText(locale, goal)],
    [text.playerNames, playerNames],
    [text.listforgeConsumer, listforgeConsumer],
    [text.voterRole, voterRole === undefined ? undefined : voterRoleText(locale, voterRole)],
  ];
  return named.flatMap(([label, value]) =>
    value === undefined || value === null
      ? []
      : [html`<br><span class="muted">${label}${text.colon} <bdi>${value}</bdi></span>`],
  );
}

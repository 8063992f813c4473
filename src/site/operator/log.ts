/** The log of what operators did, in words: stored values are shown as on the pages where they are chosen. */
import type { FastifyInstance } from 'fastify';
import { isTokenScope } from '../../domain/keys/api-token.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { parseIsoDate } from '../../domain/votes/period.ts';
import { readSelection } from '../../moderation/selection.ts';
import type { AuditDetail, AuditPosition, RecordedAudit } from '../../store/moderation/audit.ts';
import type { Store } from '../../store/store.ts';
import { claimsMessages } from '../dashboard/settings/claims-messages.ts';
import { goalText } from '../goal/goal.ts';
import { formatNumber, momentTag } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { actorTag, type People, personTag } from '../layout/people.ts';
import { voterRoleText } from '../voter-role/voter-role.ts';
import { operatorMessages } from './messages.ts';
import { communityLink, cutPage, type OperatorDeps, PAGE_SIZE, pager, sendOperatorPage } from './page.ts';

const LOG_POSITION = /^(\d{1,15})_(\d{1,15})$/;

/** An invalid position leads to the newest entries. */
function readLogPosition(query: unknown): AuditPosition | null {
  const [, at, id] = LOG_POSITION.exec(firstText(query, 'before') ?? '') ?? [];
  return id === undefined ? null : { at: Number(at), id: Number(id) };
}

export function logRoute(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/log', async (request, reply) => {
    const before = readLogPosition(request.query);
    const found = await deps.store.audit.recent(before, PAGE_SIZE + 1);
    const { shown: entries, last } = cutPage(found);
    const known = await findKnown(deps.store, entries);
    const next = last ? `/operator/log?before=${last.at}_${last.id}` : null;
    return sendOperatorPage(request, reply, deps, {
      tab: 'log',
      view: ({ locale }) =>
        html`${logView(locale, entries, known)}${pager(locale, { first: before && '/operator/log', next })}`,
    });
  });
}

/** People and communities of the page, by id. */
type Known = { people: People; names: ReadonlyMap<string, string> };

async function findKnown({ users, operator }: Store, entries: readonly RecordedAudit[]): Promise<Known> {
  const userIds = entries.flatMap(({ actor, detail }) => [
    ...(actor && 'userId' in actor ? [actor.userId] : []),
    ...(detail.userId === undefined ? [] : [detail.userId]),
    ...selectedUsers(detail),
  ]);
  const guildIds = entries.flatMap(({ guildId }) => (guildId === null ? [] : [guildId]));
  const [people, names] = await Promise.all([users.find(userIds), operator.communityNames(guildIds)]);
  return { people, names };
}

function selectedUsers({ selection }: AuditDetail): string[] {
  const selected = selection === undefined ? undefined : readSelection(selection);
  return typeof selected === 'object' && selected.kind === 'user' ? [selected.userId] : [];
}

function logView(locale: Locale, entries: readonly RecordedAudit[], known: Known): Html {
  const text = operatorMessages[locale];
  return html`<section class="card" aria-labelledby="log"><div class="stack"><h2 id="log">${text.tabs.log}</h2><p class="muted small-text">${text.log.hint}</p></div>
${entries.length === 0 ? html`<p class="empty">${text.log.empty}</p>` : logTable(locale, entries, known)}</section>`;
}

function logTable(locale: Locale, entries: readonly RecordedAudit[], known: Known): Html {
  const text = operatorMessages[locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="log"><table class="stacked activity">
<thead><tr><th scope="col">${text.time}</th><th scope="col">${text.who}</th><th scope="col">${text.what}</th></tr></thead>
<tbody>${entries.map((entry) => logRow(locale, entry, known))}</tbody></table></div>`;
}

function logRow(locale: Locale, entry: RecordedAudit, known: Known): Html {
  const { at, actor, action } = entry;
  const details = logDetails(locale, entry, known).map(
    ([label, value]) =>
      html`<br><span class="muted">${label}${operatorMessages[locale].colon} <bdi>${value}</bdi></span>`,
  );
  return html`<tr><td><span class="nowrap">${momentTag(at, locale)}</span></td><td>${whoTag(locale, actor, known.people)}</td><td>${operatorMessages[locale].actions[action]}${details}</td></tr>`;
}

function whoTag(locale: Locale, actor: RecordedAudit['actor'], people: People): Html {
  const text = operatorMessages[locale];
  if (!actor) return html`<span class="badge">${text.commandLine}</span>`;
  if ('userId' in actor) return actorTag(locale, people, actor);
  return html`<span class="badge">${text.token}</span> <bdi title="${actor.tokenId}">${actor.name}</bdi>`;
}

type Detail = [label: string, value: Content];

/** The details of an entry, each with its label. */
function logDetails(locale: Locale, entry: RecordedAudit, known: Known): Detail[] {
  const text = operatorMessages[locale];
  const { detail } = entry;
  const given = <Value>(
    label: string,
    value: Value | undefined,
    show: (value: Value) => Content,
  ): Detail[] => (value === undefined ? [] : [[label, show(value)]]);
  const asText = (value: string) => value;
  const number = (value: number) => formatNumber(value, locale);
  return [
    ...communityDetail(locale, entry, known),
    ...given(text.name, detail.name, asText),
    ...given(text.user, detail.userId, (userId) => personTag(locale, known.people, userId)),
    ...untilDetail(locale, entry),
    ...given(text.voiding.which, detail.selection, (value) => selectionText(locale, value, known.people)),
    ...given(text.voiding.votes, detail.votes, number),
    ...given(text.voiding.batch, detail.batch, (batch) => html`<span class="mono">${batch}</span>`),
    ...given(reasonLabel(locale, entry), detail.reason ?? undefined, asText),
    ...given(text.reasons.labels.publicReason, detail.publicReason, asText),
    ...given(text.scopes, detail.scopes, (scopes) => scopesText(locale, scopes)),
    ...given(text.rateLimit, detail.rateLimit, (limit) =>
      limit === null ? text.defaultLimit : number(limit),
    ),
    ...given(text.goal, detail.goal, (goal) => goalText(locale, goal)),
    ...given(text.playerNames, detail.playerNames, (rule) => claimsMessages[locale].rules[rule].name),
    ...given(text.listforgeConsumer, detail.listforgeConsumer, asText),
    ...given(text.voterRole, detail.voterRole, (role) => voterRoleText(locale, role)),
  ];
}

/** Its name today, as a link; of a removed community the name that the log has stored, or its id. */
function communityDetail(locale: Locale, { guildId, detail }: RecordedAudit, { names }: Known): Detail[] {
  const label = operatorMessages[locale].community;
  if (guildId === null) return detail.guild === undefined ? [] : [[label, detail.guild]];
  const name = names.get(guildId);
  if (name !== undefined) return [[label, communityLink(guildId, name)]];
  return [[label, html`${detail.guild} <span class="mono">${guildId}</span>`]];
}

/** Null is the end of a Premium, a ban for ever, or a token that does not expire. */
function untilDetail(locale: Locale, { action, detail: { until } }: RecordedAudit): Detail[] {
  const text = operatorMessages[locale];
  if (until === undefined) return [];
  const never = action === 'voter_banned' ? text.bans.noEnd : text.none;
  const at = until === null ? undefined : parseIsoDate(until);
  return [[text.until, at === undefined ? (until ?? never) : momentTag(at, locale)]];
}

function reasonLabel(locale: Locale, { action }: RecordedAudit): string {
  const { labels } = operatorMessages[locale].reasons;
  return action === 'voter_banned' ? labels.note : labels.reason;
}

function scopesText(locale: Locale, scopes: string): string {
  const names = operatorMessages[locale].tokens.scopeNames;
  return scopes
    .split(' ')
    .map((scope) => (isTokenScope(scope) ? names[scope] : scope))
    .join(', ');
}

/** Which votes were voided. A text of an earlier version is shown as it is. */
function selectionText(locale: Locale, stored: string, people: People): Content {
  const { voiding, marks, log } = operatorMessages[locale];
  const selected = readSelection(stored);
  if (selected === undefined) return stored;
  if (typeof selected === 'string') return voiding.choices[selected];
  switch (selected.kind) {
    case 'user':
      return html`${log.ofAccount} ${personTag(locale, people, selected.userId)}`;
    case 'name':
      return html`${log.ofName} <bdi>${selected.externalId}</bdi>`;
    case 'mark':
      return html`${log.ofMark} ${marks[selected.mark]}`;
    case 'network':
      return html`${log.ofNetwork} <span class="mono">${selected.voteId}</span>`;
  }
}

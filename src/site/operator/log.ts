import type { FastifyInstance } from 'fastify';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/text.ts';
import type { AuditDetail, AuditPosition, RecordedAudit } from '../../store/moderation/moderation.ts';
import { actorTag, formatNumber, momentTag, type People, personTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { type OperatorDeps, operatorMessages, PAGE_SIZE, pager, sendOperatorPage } from './page.ts';

const POSITION = /^(\d{1,15})_(\d{1,15})$/;

/** An address that was cut or mistyped leads to the newest entries. */
function readPosition(query: unknown): AuditPosition | null {
  const [, at, id] = POSITION.exec(firstText(query, 'before') ?? '') ?? [];
  return id === undefined ? null : { at: Number(at), id: Number(id) };
}

export function logRoute(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/log', async (request, reply) => {
    const before = readPosition(request.query);
    const found = await deps.store.audit.recent(before, PAGE_SIZE + 1);
    const entries = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? entries.at(-1) : undefined;
    const people = await deps.store.users.find(
      entries.flatMap(({ actor, detail }) => [actor?.userId ?? [], detail.userId ?? []].flat()),
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
  const who = actor ? actorTag(locale, people, actor) : html`<span class="badge">${text.commandLine}</span>`;
  return html`<tr><td><span class="nowrap">${momentTag(at, locale)}</span></td><td>${who}</td><td>${text.actions[action]}
${guildId !== null && html`<br><a class="mono" href="/operator/communities/${guildId}">${guildId}</a>`}${details(locale, detail, people)}</td></tr>`;
}

/** What the entry says beside its action, each with its name. */
function details(locale: Locale, detail: AuditDetail, people: People): Html[] {
  const text = operatorMessages[locale];
  const { guild, name, userId, until, reason, batch, votes, selection } = detail;
  const named: [label: string, value: Html | string | undefined | null][] = [
    [text.community, guild],
    [text.name, name],
    [text.user, userId && personTag(locale, people, userId)],
    [text.until, until === null ? text.none : until],
    [text.voiding.which, selection],
    [text.voiding.votes, votes === undefined ? undefined : formatNumber(votes, locale)],
    [text.voiding.batch, batch],
    [text.reason, reason],
  ];
  return named.flatMap(([label, value]) =>
    value === undefined || value === null
      ? []
      : [html`<br><span class="muted">${label}${text.colon} <bdi>${value}</bdi></span>`],
  );
}

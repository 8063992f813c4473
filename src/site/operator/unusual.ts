import type { FastifyInstance } from 'fastify';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { VOTE_MARKS, type VoteMark } from '../../domain/votes/marks.ts';
import type { MarkedPosition, MarkedVote } from '../../store/moderation/unusual.ts';
import { momentTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { type People, personTag } from '../layout/people.ts';
import { operatorMessages } from './messages.ts';
import { communityLink, type OperatorDeps, PAGE_SIZE, pager, sendOperatorPage } from './page.ts';

const POSITION = /^(-?\d{1,15})_(\d{15,20})_(\d{15,20})$/;

/** An invalid position leads to the newest votes. */
function readPosition(text: string | undefined): MarkedPosition | null {
  const [, castAt, guildId, userId] = POSITION.exec(text ?? '') ?? [];
  return guildId === undefined || userId === undefined ? null : { castAt: Number(castAt), guildId, userId };
}

export function unusualRoute(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/unusual', async (request, reply) => {
    const mark = VOTE_MARKS.find((known) => known === firstText(request.query, 'mark')) ?? null;
    const before = readPosition(firstText(request.query, 'before'));
    const { votes, next } = await deps.store.unusual.list(mark, before, PAGE_SIZE);
    const [names, people] = await Promise.all([
      deps.store.operator.communityNames(votes.map(({ guildId }) => guildId)),
      deps.store.users.find(votes.map(({ userId }) => userId)),
    ]);
    const address = pageAddress(mark);
    const older = next && pageAddress(mark, `${next.castAt}_${next.guildId}_${next.userId}`);
    return sendOperatorPage(request, reply, deps, {
      tab: 'unusual',
      view: ({ locale }) =>
        html`${listView(locale, mark, votes, { names, people })}${pager(locale, { first: before && address, next: older })}`,
    });
  });
}

function pageAddress(mark: VoteMark | null, before?: string): string {
  const query = [...(mark ? [`mark=${mark}`] : []), ...(before ? [`before=${before}`] : [])];
  return `/operator/unusual${query.length > 0 ? '?' : ''}${query.join('&')}`;
}

/** The names of communities and people on the page. */
type Known = { names: ReadonlyMap<string, string>; people: People };

function listView(locale: Locale, mark: VoteMark | null, votes: readonly MarkedVote[], known: Known): Html {
  const messages = operatorMessages[locale];
  return html`<section class="card" aria-labelledby="unusual"><div class="stack"><h2 id="unusual">${messages.tabs.unusual}</h2><p class="muted small-text">${messages.unusual.hint}</p></div>
${filters(locale, mark)}
${votes.length === 0 ? html`<p class="empty">${messages.unusual.empty}</p>` : voteTable(locale, votes, known)}</section>`;
}

function filters(locale: Locale, current: VoteMark | null): Html {
  const { unusual, marks } = operatorMessages[locale];
  const link = (mark: VoteMark | null, label: string) =>
    html`<a class="button small secondary" href="${pageAddress(mark)}"${mark === current && html` aria-current="page"`}>${label}</a>`;
  return html`<nav class="row" aria-label="${unusual.marks}">${link(null, unusual.all)}${VOTE_MARKS.map((mark) => link(mark, marks[mark]))}</nav>`;
}

function voteTable(locale: Locale, votes: readonly MarkedVote[], known: Known): Html {
  const messages = operatorMessages[locale];
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="unusual"><table class="stacked">
<thead><tr><th scope="col">${messages.time}</th><th scope="col">${messages.community}</th><th scope="col">${messages.user}</th><th scope="col">${messages.name}</th><th scope="col">${messages.unusual.marks}</th><th scope="col">${messages.unusual.actions}</th></tr></thead>
<tbody>${votes.map((vote) => voteRow(locale, vote, known))}</tbody></table></div>`;
}

function voteRow(locale: Locale, vote: MarkedVote, known: Known): Html {
  const { marks: names, unusual: text } = operatorMessages[locale];
  const { guildId, userId, castAt, externalId, marks } = vote;
  return html`<tr><td class="nowrap">${momentTag(castAt, locale)}</td><td>${communityLink(guildId, known.names.get(guildId))}</td><td>${personTag(locale, known.people, userId)}</td><td${externalId === null && html` class="no muted"`}>${externalId === null ? '–' : html`<bdi class="clamp" title="${externalId}">${externalId}</bdi>`}</td><td>${marks.map((mark) => html`<span class="badge">${names[mark]}</span> `)}</td>
<td class="nowrap"><a href="/operator/void?guild_id=${guildId}&amp;at=${castAt}&amp;user_id=${userId}" aria-label="${text.voidLink} ${userId}">${text.voidLink}</a> <a href="/operator/ban?user_id=${userId}" aria-label="${text.banLink} ${userId}">${text.banLink}</a></td></tr>`;
}

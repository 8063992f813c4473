/** What the pages of the console share: authorization, the frame with its tabs, and parts of lists and forms. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../domain/clock.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { isVisible, readPlainText } from '../../domain/text/text.ts';
import { parseIsoDate } from '../../domain/votes/period.ts';
import { type Moderator, REASON_MAX_LENGTH } from '../../moderation/moderator.ts';
import type { Tallies } from '../../store/moderation/tallies.ts';
import type { RateLimit } from '../../store/rates.ts';
import { sendDashboardPage } from '../dashboard/frame.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import { pageContext } from '../layout/responses.ts';
import { requirePerson } from '../session.ts';
import { operatorMessages } from './messages.ts';

export type OperatorDeps = Pick<SiteDeps, 'store' | 'clock' | 'signIn'> & {
  operators: ReadonlySet<string>;
  tallies: Tallies;
  /** Requests per minute of a community without a limit of its own. */
  rateLimit: RateLimit;
};

/**
 * Authorizes every route that is registered on this instance: only people in VOTARY_OPERATORS get further, while Discord
 * accepts their sign-in.
 */
export function authorizeOperators(app: FastifyInstance, { operators, signIn }: OperatorDeps): void {
  app.addHook('preHandler', async (request) => {
    const { userId } = requirePerson(request);
    if (!operators.has(userId)) throw new PageError('OPERATORS_ONLY');
    await signIn.verify(request);
  });
}

/** The signed-in operator, for src/moderation. */
export function moderatorOf(request: FastifyRequest, { store, clock }: OperatorDeps): Moderator {
  return { store, clock, actor: requirePerson(request) };
}

type OperatorTab = keyof (typeof operatorMessages)['en']['tabs'];
type OperatorNotice = keyof (typeof operatorMessages)['en']['notices'];

const TABS = [
  'overview',
  'communities',
  'unusual',
  'voided',
  'bans',
  'tokens',
  'log',
] satisfies OperatorTab[];

function isNotice(text: string | undefined): text is OperatorNotice {
  return text !== undefined && Object.hasOwn(operatorMessages.en.notices, text);
}

type OperatorPage = { tab: OperatorTab; view: (context: PageContext) => Content };

export function sendOperatorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { signIn }: OperatorDeps,
  { tab, view }: OperatorPage,
): FastifyReply {
  const context = pageContext(request, reply, signIn);
  const { locale } = context;
  const main = html`${header(locale, tab)}${doneNotice(request, locale)}${view(context)}`;
  const styles = ['dashboard/overview.css', 'dashboard/operator.css'];
  const { tabs, title } = operatorMessages[locale];
  return sendDashboardPage(reply, context, { title: `${tabs[tab]} · ${title}`, main, styles });
}

function header(locale: Locale, current: OperatorTab): Html {
  const text = operatorMessages[locale];
  return html`<h1>${text.title}</h1>
<nav class="tabs" aria-label="${text.title}">${TABS.map(
    (tab) =>
      html`<a href="${tabPath(tab)}"${tab === current && html` aria-current="page"`}>${text.tabs[tab]}</a>`,
  )}</nav>`;
}

function tabPath(tab: OperatorTab): string {
  return tab === 'overview' ? '/operator' : `/operator/${tab}`;
}

function doneNotice(request: FastifyRequest, locale: Locale): Html | null {
  const notice = firstText(request.query, 'done');
  if (!isNotice(notice)) return null;
  const style = notice === 'nothing-voided' ? 'warn' : 'good';
  return html`<p class="notice ${style}" role="status">${operatorMessages[locale].notices[notice]}</p>`;
}

export function redirectDone(reply: FastifyReply, path: string, notice: OperatorNotice): FastifyReply {
  return reply.redirect(`${path}?done=${notice}`, SEE_OTHER_STATUS);
}

export const PAGE_SIZE = 50;

/** The entries of a page, of which one more was read. `last` is where the next page starts, if there is one. */
export function cutPage<Entry>(found: readonly Entry[]): {
  shown: readonly Entry[];
  last: Entry | undefined;
} {
  const shown = found.slice(0, PAGE_SIZE);
  return { shown, last: found.length > PAGE_SIZE ? shown.at(-1) : undefined };
}

/** Links to the first and to the next page; null where there is none. */
export function pager(
  locale: Locale,
  { first, next }: { first: string | null; next: string | null },
): Html | null {
  if (first === null && next === null) return null;
  const text = operatorMessages[locale];
  const link = (label: string, href: string, rel: string) =>
    html`<a class="button small secondary" rel="${rel}" href="${href}">${label}</a>`;
  return html`<nav class="row between" aria-label="${text.pages}"><span>${first !== null && link(text.first, first, 'first')}</span><span>${next !== null && link(text.next, next, 'next')}</span></nav>`;
}

export function field(id: string, label: string, input: Html, hint: Content = null): Html {
  return html`<div class="field"><label for="${id}">${label}</label>${input}${hint !== null && html`<span class="muted small-text" id="${id}-hint">${hint}</span>`}</div>`;
}

/** Who sees a reason depends on what it is for. */
type ReasonKind = 'void' | 'sanction' | 'ban' | 'publicBan';

const LABEL_OF = { void: 'reason', sanction: 'reason', ban: 'note', publicBan: 'publicReason' } as const;

export function reasonField(locale: Locale, kind: ReasonKind, given = ''): Html {
  const { labels, hints } = operatorMessages[locale].reasons;
  const id = kind === 'publicBan' ? 'public_reason' : 'reason';
  const input = html`<input type="text" id="${id}" name="${id}" value="${given}" maxlength="${REASON_MAX_LENGTH}" aria-describedby="${id}-hint" autocomplete="off">`;
  return field(id, labels[LABEL_OF[kind]], input, hints[kind]);
}

/** Null if the field is empty. */
export function readReason(body: unknown, name: 'reason' | 'public_reason' = 'reason'): string | null {
  const given = firstText(body, name) ?? '';
  if (!isVisible(given)) return null;
  const reason = readPlainText(given, REASON_MAX_LENGTH);
  if (reason === undefined) throw new PageError('BAD_FORM');
  return reason;
}

/** A UTC time, or the start of a UTC day; null if the field is empty, `undefined` if it is invalid. */
export function readMoment(source: unknown, name: string): Instant | null | undefined {
  const given = (firstText(source, name) ?? '').trim();
  return given === '' ? null : parseIsoDate(given);
}

export function readUserId(source: unknown, name: string): string | undefined {
  const given = (firstText(source, name) ?? '').trim();
  return isSnowflake(given) ? given : undefined;
}

export function communityLink(guildId: string, name: string | undefined): Html {
  return html`<a href="/operator/communities/${guildId}">${name === undefined ? html`<span class="mono">${guildId}</span>` : html`<bdi>${name}</bdi>`}</a>`;
}

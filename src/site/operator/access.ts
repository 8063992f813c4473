import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText, isSnowflake } from '../../domain/text.ts';
import type { AuditDetail, OperatorAction } from '../../store/moderation/moderation.ts';
import type { Tallies } from '../../store/moderation/operator.ts';
import type { Store } from '../../store/store.ts';
import { sendDashboardPage } from '../dashboard/frame.ts';
import type { SiteDeps } from '../deps.ts';
import { PageError, SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { pageContext } from '../layout/context.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import { requirePerson } from '../session.ts';
import { isNotice, OPERATOR_TABS, type OperatorNotice, type OperatorTab } from './messages/types.ts';
import { operatorMessages } from './parts.ts';

export type OperatorDeps = Pick<SiteDeps, 'store' | 'clock' | 'signIn'> & {
  operators: ReadonlySet<string>;
  tallies: Tallies;
};

/** Authorizes every route that is registered on this instance: only people in VOTARY_OPERATORS get further. */
export function authorizeOperators(app: FastifyInstance, { operators }: OperatorDeps): void {
  app.addHook('preHandler', async (request) => {
    const { userId } = requirePerson(request);
    if (!operators.has(userId)) throw new PageError('OPERATORS_ONLY');
  });
}

/** Writes what the signed-in operator did to the log. */
export function recordAction(
  request: FastifyRequest,
  { store, clock }: Pick<OperatorDeps, 'store' | 'clock'>,
  action: OperatorAction,
  guildId: string | null,
  detail: AuditDetail = {},
): Promise<void> {
  return store.audit.record({ at: clock(), actor: requirePerson(request), action, guildId, detail });
}

/** The community of this URL. The database is not queried for invalid ids. */
export async function findCommunity(request: FastifyRequest, store: Store): Promise<Guild> {
  return requireGuild(store, firstText(request.params, 'guild_id'));
}

export async function requireGuild(store: Store, guildId: string | undefined): Promise<Guild> {
  const guild = guildId !== undefined && isSnowflake(guildId) ? await store.guilds.find(guildId) : undefined;
  if (!guild) throw new PageError('GUILD_NOT_FOUND');
  return guild;
}

export type OperatorPage = { tab: OperatorTab; view: (context: PageContext) => Content };

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
<nav class="tabs" aria-label="${text.title}">${OPERATOR_TABS.map(
    (tab) =>
      html`<a href="${tabPath(tab)}"${tab === current && html` aria-current="page"`}>${text.tabs[tab]}</a>`,
  )}</nav>`;
}

export function tabPath(tab: OperatorTab): string {
  return tab === 'overview' ? '/operator' : `/operator/${tab}`;
}

function doneNotice(request: FastifyRequest, locale: Locale): Html | null {
  const notice = firstText(request.query, 'done');
  if (!isNotice(notice)) return null;
  return html`<p class="notice good" role="status">${operatorMessages[locale].notices[notice]}</p>`;
}

export function redirectDone(reply: FastifyReply, path: string, notice: OperatorNotice): FastifyReply {
  return reply.redirect(`${path}?done=${notice}`, SEE_OTHER_STATUS);
}

/** The common parts of a community's pages: its name, the tabs, and notices. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Guild, isActive } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { votePath } from '../../domain/votes/vote-link.ts';
import { SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { guildIcon } from '../layout/avatar.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { operatorLinks } from '../layout/operator-links.ts';
import { type Page, type PageContext, renderPage } from '../layout/page.ts';
import { pageContext, sendPage } from '../layout/responses.ts';
import { adminOf, type DashboardDeps } from './access.ts';
import { doneMessages, frameMessages } from './frame-messages.ts';

const TABS = ['overview', 'share', 'key', 'votes', 'webhooks', 'settings', 'activity'] as const;
export type Tab = (typeof TABS)[number];

type TabPage = {
  guild: Guild;
  tab: Tab;
  /** Renders the part below the tabs. */
  view: (context: PageContext) => Content;
  scripts?: string[];
  styles?: string[];
};

export function tabAddress(guildId: string, tab: Tab): string {
  return tab === 'overview' ? `/dashboard/${guildId}` : `/dashboard/${guildId}/${tab}`;
}

export async function sendTab(
  request: FastifyRequest,
  reply: FastifyReply,
  { signIn }: DashboardDeps,
  { guild, tab, view, scripts = [], styles = [] }: TabPage,
): Promise<FastifyReply> {
  const given = { ...pageContext(request, reply, signIn), isReadOnly: !isActive(guild) };
  // A page that responds to a form has no URL to return to, so links use its tab.
  const context = request.method === 'GET' ? given : { ...given, path: tabAddress(guild.guildId, tab) };
  const { locale } = context;
  const main = html`${header(guild, tab, locale)}
${sanctionNotice(guild, context)}
${doneNotice(request, locale)}
${view(context)}`;
  const title = `${frameMessages[locale].tabs[tab]} · ${guild.name}`;
  return sendDashboardPage(reply, context, { title, main, scripts, styles });
}

export function sendDashboardPage(
  reply: FastifyReply,
  context: PageContext,
  page: Omit<Page, 'width'>,
): FastifyReply {
  const styles = ['dashboard/dashboard.css', 'dashboard/people.css', ...(page.styles ?? [])];
  const scripts = ['dashboard/dashboard.js', ...(page.scripts ?? [])];
  const { description } = frameMessages[context.locale];
  return sendPage(reply, renderPage(context, { description, ...page, styles, scripts, width: 'wide' }));
}

function header(guild: Guild, current: Tab, locale: Locale): Html {
  const text = frameMessages[locale];
  return html`<div class="guild-head">
${guildIcon(guild, 'medium')}
<div class="guild-title"><h1><bdi>${guild.name}</bdi></h1><p class="muted small-text mono">${guild.guildId}</p></div>
<div class="row guild-links"><a class="quiet" href="/dashboard">${text.allCommunities}</a>
${isActive(guild) && html`<a class="button small secondary" href="${votePath(guild.guildId)}">${text.votePage}</a>`}</div>
</div>
<nav class="tabs" aria-label="${text.tabsLabel}">${TABS.map(
    (tab) =>
      html`<a href="${tabAddress(guild.guildId, tab)}"${tab === current && html` aria-current="page"`}>${text.tabs[tab]}</a>`,
  )}</nav>`;
}

function sanctionNotice({ sanction }: Guild, { locale, brand }: PageContext): Html | null {
  if (!sanction) return null;
  const text = frameMessages[locale].sanctioned;
  return html`<div class="notice bad"><p><strong>${text.title}</strong> ${text.text}${operatorLinks(brand)}</p>
${sanction.reason !== null && html`<p>${text.reason} <bdi>${sanction.reason}</bdi></p>`}</div>`;
}

function doneNotice(request: FastifyRequest, locale: Locale): Html | null {
  const done = firstText(request.query, 'done');
  if (!isNotice(done)) return null;
  return html`<p class="notice ${WARNINGS.includes(done) ? 'warn' : 'good'}" role="status">${doneMessages[locale][done]}</p>`;
}

/** For a form that responds with a page: its URL stays in the browser and may be opened again. */
export function redirectToTab(app: FastifyInstance, path: string, tab: Tab): void {
  app.get(path, async (request, reply) => {
    const { guild } = adminOf(request);
    return reply.redirect(tabAddress(guild.guildId, tab), SEE_OTHER_STATUS);
  });
}

export type Notice = keyof (typeof doneMessages)['en'];

/** Notices that explain why nothing was done. */
const WARNINGS: readonly Notice[] = [
  'key-kept',
  'claim-kept',
  'webhook-kept',
  'webhook-missing',
  'webhook-test-under-way',
  'webhook-test-busy',
  'webhook-sanctioned',
];

function isNotice(text: string | undefined): text is Notice {
  return text !== undefined && Object.hasOwn(doneMessages.en, text);
}

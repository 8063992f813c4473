/** The common parts of a community's pages: its name, the tabs, and notices. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Guild, isActive } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/text.ts';
import { SEE_OTHER_STATUS } from '../errors/page-error.ts';
import { guildIcon } from '../layout/avatar.ts';
import { pageContext, sendPage } from '../layout/context.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { FORM_SCRIPT, type Page, type PageContext, renderPage } from '../layout/page.ts';
import { votePath } from '../vote/vote-link.ts';
import { adminOf, type DashboardDeps } from './access.ts';
import { noticeMessages, readNotice, WARNINGS } from './notices.ts';

const TABS = ['overview', 'key', 'votes', 'webhooks', 'settings', 'activity'] as const;
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
${sanctionNotice(guild, locale)}
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
  const scripts = ['dashboard/dashboard.js', FORM_SCRIPT, ...(page.scripts ?? [])];
  return sendPage(reply, renderPage(context, { ...page, styles, scripts, width: 'wide' }));
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

function sanctionNotice({ sanction }: Guild, locale: Locale): Html | null {
  if (!sanction) return null;
  const text = frameMessages[locale].sanctioned;
  return html`<div class="notice bad"><p><strong>${text.title}</strong> ${text.text}</p>
${sanction.reason !== null && html`<p>${text.reason(sanction.reason)}</p>`}</div>`;
}

function doneNotice(request: FastifyRequest, locale: Locale): Html | null {
  const notice = readNotice(firstText(request.query, 'done'));
  if (!notice) return null;
  return html`<p class="notice ${WARNINGS.includes(notice) ? 'warn' : 'good'}" role="status">${noticeMessages[locale][notice]}</p>`;
}

/** For a form that responds with a page: its URL stays in the browser and may be opened again. */
export function leadToTab(app: FastifyInstance, path: string, tab: Tab): void {
  app.get(path, async (request, reply) => {
    const { guild } = adminOf(request);
    return reply.redirect(tabAddress(guild.guildId, tab), SEE_OTHER_STATUS);
  });
}

const en = {
  tabs: {
    overview: 'Overview',
    key: 'Developer & API',
    votes: 'Votes',
    webhooks: 'Webhooks',
    settings: 'Settings',
    activity: 'Activity',
  } satisfies Record<Tab, string>,
  tabsLabel: 'Dashboard sections',
  allCommunities: 'My communities',
  votePage: 'Voting page',
  sanctioned: {
    title: 'This community is sanctioned.',
    text: 'While the sanction is active, the API key is disabled, the voting page is closed and no webhooks are sent. This dashboard is read-only: you can view everything and download votes. Contact the operator of this site.',
    reason: (reason: string) => `Reason: ${reason}`,
  },
};

const frameMessages: Record<Locale, typeof en> = {
  en,
  fr: {
    tabs: {
      overview: 'Aperçu',
      key: 'Développeurs et API',
      votes: 'Votes',
      webhooks: 'Webhooks',
      settings: 'Paramètres',
      activity: 'Activité',
    },
    tabsLabel: 'Rubriques du tableau de bord',
    allCommunities: 'Mes communautés',
    votePage: 'Page de vote',
    sanctioned: {
      title: 'Cette communauté est sanctionnée.',
      text: 'Tant que la sanction est active, la clé API est désactivée, la page de vote est fermée et aucun webhook n’est envoyé. Ce tableau de bord est en lecture seule\u00A0: vous pouvez tout consulter et télécharger les votes. Contactez l’exploitant de ce site.',
      reason: (reason) => `Motif\u00A0: ${reason}`,
    },
  },
};

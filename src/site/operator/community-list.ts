/** `/operator/communities`: every community, sorted, filtered and searched. A plain form, so it works without scripts. */
import type { FastifyInstance } from 'fastify';
import type { Instant } from '../../domain/clock.ts';
import { type Guild, hasPremium } from '../../domain/guild.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import {
  COMMUNITY_SORTS,
  COMMUNITY_STATES,
  type Community,
  type CommunityPosition,
  type CommunitySort,
  type CommunityState,
} from '../../store/moderation/communities.ts';
import type { Store } from '../../store/store.ts';
import { dayTag, formatNumber } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { operatorMessages } from './messages.ts';
import {
  communityLink,
  cutPage,
  field,
  type OperatorDeps,
  PAGE_SIZE,
  pager,
  sendOperatorPage,
} from './page.ts';

export const COMMUNITIES_PATH = '/operator/communities';

/** What the form asks for. */
type ListFilter = { search: string; sort: CommunitySort; state: CommunityState | null };

export function communityListRoute(app: FastifyInstance, deps: OperatorDeps): void {
  app.get('/communities', async (request, reply) => {
    const filter = readFilter(request.query);
    const after = readPosition(firstText(request.query, 'after'));
    const now = deps.clock();
    const found = await findCommunities(deps.store, filter, after, now);
    const { shown: communities, last } = cutPage(found);
    const next = last ? listAddress(filter, `${last.value}_${last.guild.guildId}`) : null;
    const first = after && listAddress(filter);
    return sendOperatorPage(request, reply, deps, {
      tab: 'communities',
      view: ({ locale }) =>
        html`${listView(locale, filter, communities, now)}${pager(locale, { first, next })}`,
    });
  });
}

/** Unknown values mean the default, as in an address that was changed by hand. */
function readFilter(query: unknown): ListFilter {
  const [sort, state] = [firstText(query, 'sort'), firstText(query, 'state')];
  return {
    search: (firstText(query, 'search') ?? '').trim(),
    sort: COMMUNITY_SORTS.find((known) => known === sort) ?? 'name',
    state: COMMUNITY_STATES.find((known) => known === state) ?? null,
  };
}

/** The value that the page was sorted by, which can contain any character, and the id. */
const POSITION = /^(.*)_(\d{15,20})$/s;

/** An invalid position leads to the first page. */
function readPosition(text: string | undefined): CommunityPosition | null {
  const [, value, guildId] = POSITION.exec(text ?? '') ?? [];
  if (value === undefined || guildId === undefined || !value.isWellFormed() || value.includes('\0'))
    return null;
  return { value, guildId };
}

function listAddress({ search, sort, state }: ListFilter, after?: string): string {
  const query = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(sort !== 'name' && { sort }),
    ...(state && { state }),
    ...(after !== undefined && { after }),
  });
  return query.size === 0 ? COMMUNITIES_PATH : `${COMMUNITIES_PATH}?${query}`;
}

/** The id of a community finds it; any other text is searched for in names. */
async function findCommunities(
  { guilds, votes, operator }: Store,
  filter: ListFilter,
  after: CommunityPosition | null,
  now: Instant,
): Promise<Community[]> {
  const guild = isSnowflake(filter.search) ? await guilds.find(filter.search) : undefined;
  if (!guild) return operator.communities({ ...filter, after, now, limit: PAGE_SIZE + 1 });
  return [{ guild, votesThisMonth: await votes.countInMonth(guild.guildId, now), value: '' }];
}

function listView(locale: Locale, filter: ListFilter, communities: readonly Community[], now: Instant): Html {
  const messages = operatorMessages[locale];
  const text = messages.communities;
  return html`<section class="card" aria-labelledby="communities"><h2 id="communities">${messages.tabs.communities}</h2>
${filterForm(locale, filter)}
${communities.length === 0 ? html`<p class="empty">${text.empty}</p>` : communityTable(locale, filter.sort, communities, now)}</section>`;
}

function filterForm(locale: Locale, { search, sort, state }: ListFilter): Html {
  const { communities: text } = operatorMessages[locale];
  const input = html`<input type="search" id="search" name="search" value="${search}" placeholder="${text.searchHint}">`;
  const choices = (name: string, options: readonly (readonly [string, string])[], chosen: string) =>
    html`<select id="${name}" name="${name}">${options.map(
      ([value, label]) =>
        html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`,
    )}</select>`;
  const sorts = COMMUNITY_SORTS.map((known) => [known, text.sorts[known]] as const);
  const states = COMMUNITY_STATES.map((known) => [known, text.states[known]] as const);
  const isFiltered = search !== '' || sort !== 'name' || state !== null;
  return html`<form class="inline-form" method="get" action="${COMMUNITIES_PATH}" role="search">${field('search', text.search, input)}
${field('state', text.show, choices('state', [['', text.allStates], ...states], state ?? ''))}
${field('sort', text.sort, choices('sort', sorts, sort))}<button class="secondary">${text.find}</button>${isFiltered && html`<a class="quiet" href="${COMMUNITIES_PATH}">${text.reset}</a>`}</form>`;
}

/** The column that the table is sorted by, for screen readers. */
const DIRECTIONS: Record<CommunitySort, 'ascending' | 'descending'> = {
  name: 'ascending',
  votes: 'descending',
  created: 'descending',
  premium: 'ascending',
};

function communityTable(
  locale: Locale,
  sort: CommunitySort,
  communities: readonly Community[],
  now: Instant,
): Html {
  const messages = operatorMessages[locale];
  const text = messages.communities;
  const column = (name: CommunitySort, label: string, style: Html | null = null) =>
    html`<th scope="col"${style}${name === sort && html` aria-sort="${DIRECTIONS[name]}"`}>${label}</th>`;
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="communities"><table class="stacked">
<thead><tr>${column('name', messages.community)}${column('votes', text.votes, html` class="number"`)}${column('created', text.created)}${column('premium', text.premium)}<th scope="col">${text.state}</th></tr></thead>
<tbody>${communities.map((community) => communityRow(locale, community, now))}</tbody></table></div>`;
}

function communityRow(locale: Locale, { guild, votesThisMonth }: Community, now: Instant): Html {
  const { guildId, name, createdAt, premiumUntil } = guild;
  const text = operatorMessages[locale].communities;
  const isPremium = premiumUntil !== null && hasPremium(guild, now);
  return html`<tr><td>${communityLink(guildId, name)} <span class="muted mono small-text">${guildId}</span></td><td class="number" data-label="${text.votes}">${formatNumber(votesThisMonth, locale)}</td><td class="nowrap" data-label="${text.created}">${dayTag(createdAt, locale)}</td><td${isPremium ? html` class="nowrap" data-label="${text.premium}"` : html` class="no muted"`}>${isPremium ? dayTag(premiumUntil, locale) : '–'}</td><td>${badges(locale, guild)}</td></tr>`;
}

export function badges(locale: Locale, guild: Guild): Html {
  const text = operatorMessages[locale].communities;
  return html`${guild.sanction && html`<span class="badge bad">${text.sanctioned}</span> `}${guild.unlistedAt !== null && html`<span class="badge">${text.unlisted}</span> `}${guild.hiddenAt !== null && html`<span class="badge">${text.hidden}</span>`}`;
}

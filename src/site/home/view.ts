import type { RankedGuild } from '../../store/store.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { guildIcon, type PageContext, renderPage } from '../layout/page.ts';
import { profilePath } from '../paths.ts';
import { votePath } from '../vote/vote-link.ts';
import { type Listing, type ListingQuery, PAGE_SIZE } from './listing.ts';
import { homeMessages } from './messages.ts';

export function renderHomePage(context: PageContext, listing: Listing): string {
  const text = homeMessages[context.locale];
  const main = html`<div class="home-head">
<div class="stack"><h1>${text.heading}</h1><p class="muted lead">${text.lead}</p></div>
${searchForm(context, listing)}
</div>
${searchResult(context, listing)}
${listing.guilds.length > 0 ? guildList(context, listing) : emptyState(context, listing)}
${pageLinks(context, listing)}
${invitations(context)}`;
  return renderPage(context, {
    title: text.title,
    description: text.lead,
    main,
    styles: ['home.css'],
    width: 'wide',
  });
}

function searchForm({ locale }: PageContext, { search }: Listing): Html {
  const text = homeMessages[locale];
  return html`<form class="search" role="search" action="/">
<label class="visually-hidden" for="q">${text.search}</label>
<input type="search" id="q" name="q" value="${search}" placeholder="${text.searchHint}" maxlength="100" autocomplete="off">
<button class="secondary">${text.find}</button>
</form>`;
}

function searchResult({ locale }: PageContext, { search, guilds }: Listing): Content {
  const text = homeMessages[locale];
  if (search === '' || guilds.length === 0) return null;
  return html`<p class="row between"><span>${text.results(isolated(search))}</span><a href="/">${text.all}</a></p>`;
}

function guildList(context: PageContext, { guilds, page, search }: Listing): Html {
  // Ranks refer to the whole list, so search results have none.
  const firstPlace = search === '' ? (page - 1) * PAGE_SIZE + 1 : null;
  return html`<ol class="guilds" role="list">
${guilds.map((guild, index) => guildRow(context, guild, firstPlace && firstPlace + index))}
</ol>`;
}

function guildRow({ locale }: PageContext, guild: RankedGuild, place: number | null): Html {
  const text = homeMessages[locale];
  return html`<li class="guild">
${place !== null && html`<span class="place${place <= 3 && ' top'}">${place}</span>`}
${guildIcon(guild, 'medium')}
<span class="guild-words"><a class="guild-name" href="${profilePath(guild.guildId)}"><bdi>${guild.name}</bdi></a><span class="muted small-text">${text.votes(guild.votes)}</span></span>
<a class="button small" href="${votePath(guild.guildId)}" aria-label="${text.voteFor(guild.name)}">${text.vote}</a>
</li>
`;
}

function emptyState({ locale }: PageContext, { search, page }: Listing): Html {
  const text = homeMessages[locale];
  if (page > 1)
    return empty(text.endTitle, text.endText, { href: listPath({ search, page: 1 }), name: text.all });
  if (search !== '') {
    return empty(text.nothingTitle, text.nothingText(isolated(search)), { href: '/', name: text.all });
  }
  return empty(text.emptyTitle, text.emptyText, { href: '/dashboard', name: text.emptyAction });
}

function empty(title: string, words: Content, action: { href: string; name: string }): Html {
  return html`<div class="card center empty-state"><h2>${title}</h2><p class="muted">${words}</p><a class="button secondary" href="${action.href}">${action.name}</a></div>`;
}

function pageLinks({ locale }: PageContext, { search, page, hasNext, guilds }: Listing): Content {
  const text = homeMessages[locale];
  if (guilds.length === 0 || (page === 1 && !hasNext)) return null;
  return html`<nav class="pages" aria-label="${text.pages}">
${page > 1 && html`<a class="button secondary small" rel="prev" href="${listPath({ search, page: page - 1 })}">${text.previous}</a>`}
<span class="muted">${text.page(page)}</span>
${hasNext && html`<a class="button secondary small" rel="next" href="${listPath({ search, page: page + 1 })}">${text.next}</a>`}
</nav>`;
}

function invitations({ locale }: PageContext): Html {
  const text = homeMessages[locale];
  return html`<div class="invitations">
<section class="card"><h2>${text.ownersTitle}</h2><p class="muted">${text.ownersText}</p><a class="button secondary" href="/dashboard">${text.ownersAction}</a></section>
<section class="card"><h2>${text.developersTitle}</h2><p class="muted">${text.developersText}</p><a class="button secondary" href="/docs">${text.developersAction}</a></section>
</div>`;
}

function listPath({ search, page }: ListingQuery): string {
  const parameters = new URLSearchParams();
  if (search !== '') parameters.set('q', search);
  if (page > 1) parameters.set('page', String(page));
  return parameters.size === 0 ? '/' : `/?${parameters}`;
}

/** Isolates the text direction of a name from the text around it. */
function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

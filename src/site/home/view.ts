import type { Instant } from '../../domain/clock.ts';
import type { Language } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { votePath } from '../../domain/votes/vote-link.ts';
import type { WeeklyVotes } from '../../store/guilds/listing.ts';
import type { Wait } from '../../voting/cooldown.ts';
import { guildIcon } from '../layout/avatar.ts';
import { formatDifference, formatMinutes, formatNumber, languageName } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { type PageContext, renderPage } from '../layout/page.ts';
import { profilePath } from '../paths.ts';
import {
  type BoardGuild,
  FIRST_PAGE,
  type Listing,
  type ListingQuery,
  listPath,
  PAGE_SIZE,
  pageNumbers,
  SORTS,
} from './listing.ts';
import { homeMessages } from './messages.ts';

type HomePage = {
  listing: Listing;
  /** When the visitor can vote again. Communities that are not in the map can be voted for now. */
  cooldowns: ReadonlyMap<string, Wait>;
  now: Instant;
  /** Empty unless the communities are sorted by trend. */
  weeks: ReadonlyMap<string, WeeklyVotes>;
  /** The available filters. */
  tags: readonly string[];
  languages: readonly Language[];
};

export function renderHomePage(context: PageContext, page: HomePage): string {
  const text = homeMessages[context.locale];
  const { listing } = page;
  const main = html`<div class="home-head"><div class="stack"><h1>${text.heading}</h1><p class="muted lead">${text.lead}</p></div><a class="button secondary" href="/dashboard">${text.emptyAction}</a></div>
${filterForm(context, page)}
${sortLinks(context, listing)}
${listing.guilds.length > 0 ? guildList(context, page) : emptyState(context, listing)}
${pageLinks(context, listing)}
${invitations(context)}`;
  const { search, tag, language, page: number, pages } = listing;
  const canonical = (query: ListingQuery) => context.origin + listPath(query);
  return renderPage(context, {
    title: titleOf(context, listing),
    description: text.lead,
    main,
    styles: ['home.css', 'listing.css'],
    width: 'wide',
    links: {
      canonical: canonical(listing),
      prev: number > 1 && number <= pages ? canonical({ ...listing, page: number - 1 }) : null,
      next: number < pages ? canonical({ ...listing, page: number + 1 }) : null,
    },
    // Searches and combinations of filters only repeat the same communities.
    isIndexed: search === '' && (tag === null || language === null) && listing.guilds.length > 0,
  });
}

function titleOf({ locale }: PageContext, { tag, language, page }: Listing): string {
  const text = homeMessages[locale];
  const filters = [tag && `#${tag}`, language && languageName(language, locale)].filter(
    (part) => part !== null,
  );
  return [text.title, ...filters, ...(page > 1 ? [text.page(page)] : [])].join(' · ');
}

/** Works without scripts: the button applies the search and the filters together. */
function filterForm({ locale }: PageContext, { listing, tags, languages }: HomePage): Html {
  const text = homeMessages[locale];
  const { search, sort, tag, language } = listing;
  const option = (value: string, name: string, isChosen: boolean) =>
    html`<option value="${value}"${isChosen && html` selected`}>${name}</option>`;
  const offered = tag === null || tags.slice(0, MAX_TAGS).includes(tag) ? tags : [tag, ...tags];
  const tagField =
    offered.length > 0 &&
    html`<div><label for="tag">${text.tag}</label><select id="tag" name="tag">${option('', text.allTags, tag === null)}${offered
      .slice(0, MAX_TAGS)
      .map((name) => option(name, name, name === tag))}</select></div>`;
  const languageField =
    languages.length > 0 &&
    html`<div><label for="language">${text.language}</label><select id="language" name="language">${option('', text.allLanguages, language === null)}${languages.map(
      (code) => option(code, languageName(code, locale), code === language),
    )}</select></div>`;
  const isFiltered = tag !== null || language !== null;
  const filters = html`<details class="more-filters"${isFiltered && html` open`}><summary>${text.filters}</summary><div class="filter-fields">${tagField}${languageField}</div></details>`;
  return html`<form class="filters" role="search" action="/">
<div class="filter-search"><label class="visually-hidden" for="q">${text.search}</label>
<input type="search" id="q" name="q" value="${search}" placeholder="${text.searchHint}" maxlength="100" autocomplete="off"></div>
<button class="secondary">${text.find}</button>
${(tagField || languageField) && filters}
${sort !== 'votes' && html`<input type="hidden" name="sort" value="${sort}">`}
</form>
${tagChips(locale, listing, tags)}`;
}

/** The most used tags, in one line that scrolls. */
function tagChips(locale: Locale, listing: Listing, tags: readonly string[]): Content {
  if (tags.length === 0) return null;
  const text = homeMessages[locale];
  const chip = (tag: string | null, name: string) =>
    html`<a class="chip" href="${listPath({ ...listing, tag, page: 1 })}"${tag === listing.tag && html` aria-current="true"`}><bdi>${name}</bdi></a>\n`;
  return html`<nav class="chips" aria-label="${text.tags}">${chip(null, text.allTags)}${tags.slice(0, MAX_CHIPS).map((tag) => chip(tag, tag))}</nav>`;
}

const MAX_CHIPS = 12;

/** A menu with hundreds of tags is not useful; the others are reached from the communities that have them. */
const MAX_TAGS = 50;

function sortLinks({ locale }: PageContext, listing: Listing): Html {
  const text = homeMessages[locale];
  const { search, tag, language, total } = listing;
  const isFiltered = search !== '' || tag !== null || language !== null;
  return html`<div class="list-head">
<nav class="sorts" aria-label="${text.sortBy}">${SORTS.map(
    (sort) =>
      html`<a href="${listPath({ ...listing, sort, page: 1 })}"${sort === listing.sort && html` aria-current="page"`}>${text.sorts[sort]}</a>\n`,
  )}</nav>
<p class="muted small-text">${search === '' ? text.found(total) : text.results(isolated(search), total)}${isFiltered && html` <a href="${listPath({ ...FIRST_PAGE, sort: listing.sort })}">${text.all}</a>`}</p>
</div>`;
}

/** With fewer communities, three cards side by side would be most of the list. */
const MIN_FOR_PODIUM = 6;

function guildList(context: PageContext, page: HomePage): Html {
  const { guilds, page: number, search, sort, total } = page.listing;
  // Search results come from anywhere in the list, and new communities are not ranked.
  const firstPlace = search === '' && sort !== 'new' ? (number - 1) * PAGE_SIZE + 1 : null;
  const hasPodium = total >= MIN_FOR_PODIUM;
  return html`<ol class="guilds" role="list">
${guilds.map((guild, index) => guildRow(context, page, guild, { place: firstPlace && firstPlace + index, hasPodium }))}
</ol>`;
}

const SHOWN_TAGS = 3;

function guildRow(
  context: PageContext,
  page: HomePage,
  guild: BoardGuild,
  { place, hasPodium }: { place: number | null; hasPodium: boolean },
): Html {
  const { guildId, name, tags, description } = guild;
  const isTop = hasPodium && place !== null && place <= 3;
  return html`<li class="guild${isTop && html` top top-${place}`}">
${place !== null && html`<span class="place">${place}</span>`}
${guildIcon(guild, isTop ? 'large' : 'row')}
<div class="guild-words"><a class="guild-name" href="${profilePath(guildId)}"><bdi>${name}</bdi></a>
${description !== '' && html`<p class="guild-text"><bdi>${description}</bdi></p>`}
${
  tags.length > 0 &&
  html`<p class="guild-tags small-text">${tags
    .slice(0, SHOWN_TAGS)
    .map(
      (tag) => html` <a class="tag" href="${listPath({ ...FIRST_PAGE, tag })}"><bdi>${tag}</bdi></a>`,
    )}</p>`
}</div>
${figures(context, page, guild)}
${voteButton(context, page, guild)}
</li>
`;
}

function figures({ locale }: PageContext, { listing, weeks }: HomePage, guild: BoardGuild): Html {
  const text = homeMessages[locale];
  if (listing.sort === 'new')
    return html`<p class="guild-figure muted small-text">${text.added(guild.createdAt)}</p>`;
  if (listing.sort !== 'trending') return figure(locale, text.votes(guild.votes), guild.votes);
  const { week, previousWeek } = weeks.get(guild.guildId) ?? { week: 0, previousWeek: 0 };
  return figure(locale, text.thisWeek(week), week, week - previousWeek);
}

/** The number stands out from its words, which contain it too: "71 votes this week". */
function figure(locale: Locale, words: string, value: number, change = 0): Html {
  const number = formatNumber(value, locale);
  const rest = words.startsWith(number) ? words.slice(number.length).trim() : words;
  return html`<p class="guild-figure"><span class="guild-count">${number}</span> <span class="muted small-text">${rest}${change !== 0 && html` <span class="guild-change${change < 0 && ' down'}">${formatDifference(change, locale)}</span>`}</span></p>`;
}

/** During the cooldown the link still leads to the voting page, which counts down. */
function voteButton(
  { locale }: PageContext,
  { cooldowns, now }: HomePage,
  { guildId, name }: BoardGuild,
): Html {
  const text = homeMessages[locale];
  const canVoteAt = cooldowns.get(guildId)?.nextVoteAt ?? undefined;
  if (canVoteAt === undefined)
    return html`<a class="button soft small guild-vote" href="${votePath(guildId)}" aria-label="${text.voteFor(name)}">${text.vote}</a>`;
  const wait = formatMinutes(canVoteAt - now, locale);
  return html`<a class="guild-vote voted small-text" href="${votePath(guildId)}" aria-label="${text.votedFor(name, wait)}">${text.voted(wait)}</a>`;
}

function emptyState({ locale }: PageContext, listing: Listing): Html {
  const text = homeMessages[locale];
  const { search, page, tag, language } = listing;
  if (page > 1)
    return empty(text.endTitle, text.endText, {
      href: listPath({ ...listing, page: 1 }),
      name: text.firstPage,
    });
  if (search !== '' || tag !== null || language !== null) {
    const words = search === '' ? text.nothingFiltered : text.nothingText(isolated(search));
    return empty(text.nothingTitle, words, { href: '/', name: text.all });
  }
  return empty(text.emptyTitle, text.emptyText, { href: '/dashboard', name: text.emptyAction });
}

function empty(title: string, words: Content, action: { href: string; name: string }): Html {
  return html`<div class="card center empty-state"><h2>${title}</h2><p class="muted">${words}</p><a class="button secondary" href="${action.href}">${action.name}</a></div>`;
}

function pageLinks({ locale }: PageContext, listing: Listing): Content {
  const text = homeMessages[locale];
  const { page, pages, guilds } = listing;
  if (guilds.length === 0 || pages === 1) return null;
  const link = (number: number, content: Content, rest: Content) =>
    html`<a href="${listPath({ ...listing, page: number })}"${rest}>${content}</a>`;
  return html`<nav class="pages" aria-label="${text.pages}">
${page > 1 && link(page - 1, text.previous, html` rel="prev"`)}
<ol role="list">${pageNumbers(page, pages).map((number) =>
    number === null
      ? html`<li aria-hidden="true">…</li>`
      : html`<li>${link(number, number, number === page ? html` aria-current="page" aria-label="${text.page(number)}"` : html` aria-label="${text.page(number)}"`)}</li>`,
  )}</ol>
${page < pages && link(page + 1, text.next, html` rel="next"`)}
</nav>`;
}

function invitations({ locale }: PageContext): Html {
  const text = homeMessages[locale];
  return html`<div class="invitations">
<section class="card"><h2>${text.ownersTitle}</h2><p class="muted">${text.ownersText}</p><a class="button secondary" href="/dashboard">${text.ownersAction}</a></section>
<section class="card"><h2>${text.developersTitle}</h2><p class="muted">${text.developersText}</p><a class="button secondary" href="/docs">${text.developersAction}</a></section>
</div>`;
}

/** Isolates the text direction of a name from the text around it. */
function isolated(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

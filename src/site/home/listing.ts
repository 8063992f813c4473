import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { isTag, type Language, readLanguage } from '../../domain/guild.ts';
import { firstText } from '../../domain/record.ts';
import type { ListedGuild } from '../../store/guilds/listing.ts';
import { createMatcher, type Matcher, type SearchEntry } from './search.ts';

export const PAGE_SIZE = 20;

/** A community of the listing, prepared for searches. */
export type BoardGuild = ListedGuild & { entry: SearchEntry };

export const SORTS = ['votes', 'trending', 'new'] as const;

export type Sort = (typeof SORTS)[number];

/** The requested part of the list. Pages count from 1. */
export type ListingQuery = {
  search: string;
  sort: Sort;
  tag: string | null;
  language: Language | null;
  page: number;
};

/** One page. `total` is the number of communities on all pages. */
export type Listing = ListingQuery & { guilds: readonly BoardGuild[]; total: number; pages: number };

export const FIRST_PAGE: ListingQuery = { search: '', sort: 'votes', tag: null, language: null, page: 1 };

const MAX_SEARCH_LENGTH = 100;
const MAX_PAGE = 10_000;

/** Invalid parameters fall back to defaults. */
export function readListingQuery(query: unknown): ListingQuery {
  const search = cleanText(firstText(query, 'q'));
  const tag = cleanText(firstText(query, 'tag')).toLowerCase();
  const page = Number(firstText(query, 'page') ?? 1);
  return {
    search: Array.from(search).slice(0, MAX_SEARCH_LENGTH).join(''),
    sort: SORTS.find((sort) => sort === firstText(query, 'sort')) ?? 'votes',
    tag: isTag(tag) ? tag : null,
    language: readLanguage(firstText(query, 'language')),
    page: Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1,
  };
}

function cleanText(text: string | undefined): string {
  return (text ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim();
}

/** The URL of a page of the list: defaults are left out, so that each page has one URL. */
export function listPath({ search, sort, tag, language, page }: ListingQuery): string {
  const parameters = new URLSearchParams();
  if (search !== '') parameters.set('q', search);
  if (sort !== 'votes') parameters.set('sort', sort);
  if (tag !== null) parameters.set('tag', tag);
  if (language !== null) parameters.set('language', language);
  if (page > 1) parameters.set('page', String(page));
  return parameters.size === 0 ? '/' : `/?${parameters}`;
}

/** `sorted`: all communities in the order of the query. Of a search, those found by their name come first. */
export function findGuilds(sorted: readonly BoardGuild[], query: ListingQuery): Listing {
  const { search, tag, language, page } = query;
  const filtered = sorted.filter(
    (guild) =>
      (tag === null || guild.tags.includes(tag)) && (language === null || guild.language === language),
  );
  const matcher = createMatcher(search);
  const found = matcher === null ? filtered : bestFirst(filtered, matcher);
  const first = (page - 1) * PAGE_SIZE;
  const pages = Math.max(1, Math.ceil(found.length / PAGE_SIZE));
  return { ...query, guilds: found.slice(first, first + PAGE_SIZE), total: found.length, pages };
}

function bestFirst(guilds: readonly BoardGuild[], matcher: Matcher): BoardGuild[] {
  const found: BoardGuild[][] = [];
  for (const guild of guilds) {
    const match = matcher(guild.entry);
    if (match === null) continue;
    found[match] ??= [];
    found[match].push(guild);
  }
  return found.flat();
}

const SORTED_AT_ONCE = 1000;

/** Like `toSorted`, but other requests run in between: 20,000 communities at once take 50 ms. */
export async function sortInSteps<Item>(
  items: readonly Item[],
  order: (a: Item, b: Item) => number,
): Promise<Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += SORTED_AT_ONCE) {
    runs.push(items.slice(start, start + SORTED_AT_ONCE).sort(order));
    await yieldToRequests();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      // `sort` finds the two sorted halves and only merges them.
      merged.push([...(runs[index] ?? []), ...(runs[index + 1] ?? [])].sort(order));
      await yieldToRequests();
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** The first page, the last one, and two on each side of the current one; null stands for pages left out. */
export function pageNumbers(page: number, pages: number): (number | null)[] {
  const shown = [1, page - 2, page - 1, page, page + 1, page + 2, pages];
  const numbers = [...new Set(shown)]
    .filter((number) => number >= 1 && number <= pages)
    .sort((a, b) => a - b);
  return numbers.flatMap((number, index) => {
    const gap = number - (numbers[index - 1] ?? 0);
    // A gap of a single page is filled with that page.
    return gap === 1 ? [number] : gap === 2 ? [number - 1, number] : [null, number];
  });
}

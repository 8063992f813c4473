import type { Clock, Instant } from '../../domain/clock.ts';
import { SECOND_MS } from '../../domain/clock.ts';
import { firstText } from '../../domain/first-text.ts';
import { currentMonth } from '../../domain/period.ts';
import type { RankedGuild, Store } from '../../store/store.ts';

export const PAGE_SIZE = 20;

/** What a visitor wants to see of the list. Pages count from 1. */
export type Wish = { search: string; page: number };

export type Listing = Wish & { guilds: RankedGuild[]; hasNext: boolean };

const MAX_SEARCH_LENGTH = 100;
const MAX_PAGE = 10_000;

/** Anything odd in the address is read as well as it can be: a list has no wrong question. */
export function readWish(query: unknown): Wish {
  const search = (firstText(query, 'q') ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  const page = Number(firstText(query, 'page') ?? 1);
  return {
    search: Array.from(search).slice(0, MAX_SEARCH_LENGTH).join(''),
    page: Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : 1,
  };
}

export type ReadListing = (wish: Wish) => Promise<Listing>;

type Kept = { listing: Promise<Listing>; until: Instant };

const KEPT_MS = 3 * SECOND_MS;
const MAX_KEPT = 200;

/**
 * The list is the same for everybody and read far more often than it changes, so each page of it is kept for
 * three seconds: a crowd on the home page costs the database one look.
 */
export function createListing({ store, clock }: { store: Store; clock: Clock }): ReadListing {
  const kept = new Map<string, Kept>();
  return (wish) => {
    const now = clock();
    const name = `${wish.page} ${wish.search}`;
    const known = kept.get(name);
    if (known && now < known.until) return known.listing;
    if (kept.size >= MAX_KEPT) kept.clear();
    const listing = readListing(store, wish, now);
    kept.set(name, { listing, until: now + KEPT_MS });
    // A failure is not worth keeping. Whoever asked is told by the promise itself.
    listing.catch(() => kept.delete(name));
    return listing;
  };
}

async function readListing(store: Store, { search, page }: Wish, now: Instant): Promise<Listing> {
  const found = await store.guilds.ranking(currentMonth(now).from, {
    search,
    // One more than is shown tells whether there is a next page.
    limit: PAGE_SIZE + 1,
    offset: (page - 1) * PAGE_SIZE,
  });
  return { search, page, guilds: found.slice(0, PAGE_SIZE), hasNext: found.length > PAGE_SIZE };
}

import { briefCache } from '../../domain/brief-cache.ts';
import { type Clock, type Instant, SECOND_MS } from '../../domain/clock.ts';
import { firstText } from '../../domain/text.ts';
import { currentMonth } from '../../domain/votes/period.ts';
import { foldName } from '../../store/shared/fold-name.ts';
import type { RankedGuild, Store } from '../../store/store.ts';

export const PAGE_SIZE = 20;

/** The requested part of the list. Pages count from 1. */
export type ListingQuery = { search: string; page: number };

export type Listing = ListingQuery & { guilds: RankedGuild[]; hasNext: boolean };

const MAX_SEARCH_LENGTH = 100;
const MAX_PAGE = 10_000;

/** Invalid parameters fall back to defaults. */
export function readListingQuery(query: unknown): ListingQuery {
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

export type ReadListing = (query: ListingQuery) => Promise<Listing>;

const KEPT_MS = 3 * SECOND_MS;
const MAX_PAGES_KEPT = 200;

/** This many different pages are queried one by one; reading the whole list takes about as long. */
const READS_BEFORE_WHOLE = 15;
const WHOLE_KEPT_MS = 10 * SECOND_MS;
/** Longer lists are not held in memory. */
const MAX_GUILDS_HELD = 50_000;

type Searchable = { guild: RankedGuild; folded: string };

/**
 * The list is the same for everyone and changes rarely, so each page is cached for three seconds. Searches that all
 * differ would bypass that cache, and each reads every guild, so under load they use the whole list, cached for ten
 * seconds.
 */
export function createListing({ store, clock }: { store: Store; clock: Clock }): ReadListing {
  const pages = briefCache<Listing>({ clock, maxAgeMs: KEPT_MS, maxEntries: MAX_PAGES_KEPT });
  const whole = briefCache<Searchable[] | null>({ clock, maxAgeMs: WHOLE_KEPT_MS, maxEntries: 1 });
  const isBusy = countReads(clock);

  async function read(query: ListingQuery): Promise<Listing> {
    const month = currentMonth(clock()).from;
    const guilds = isBusy() ? await whole.get(String(month), () => readWhole(store, month)) : null;
    return guilds ? searchIn(guilds, query) : readListing(store, query, month);
  }
  return (query) => pages.get(`${query.page} ${query.search}`, () => read(query));
}

/** Whether there were more than a few reads in the last seconds. */
function countReads(clock: Clock): () => boolean {
  let since: Instant = 0;
  let reads = 0;
  return () => {
    const now = clock();
    if (now < since || now - since >= WHOLE_KEPT_MS) {
      since = now;
      reads = 0;
    }
    reads += 1;
    return reads > READS_BEFORE_WHOLE;
  };
}

/** Null when the list is too long. */
async function readWhole(store: Store, month: Instant): Promise<Searchable[] | null> {
  const guilds = await store.guilds.ranking(month, { search: '', limit: MAX_GUILDS_HELD + 1, offset: 0 });
  if (guilds.length > MAX_GUILDS_HELD) return null;
  return guilds.map((guild) => ({ guild, folded: foldName(guild.name) }));
}

/** The same result and order as `ranking`. */
function searchIn(guilds: readonly Searchable[], query: ListingQuery): Listing {
  const searched = foldName(query.search);
  const first = (query.page - 1) * PAGE_SIZE;
  const found: RankedGuild[] = [];
  let matches = 0;
  for (const { guild, folded } of guilds) {
    if (!folded.includes(searched)) continue;
    matches += 1;
    if (matches > first) found.push(guild);
    if (found.length > PAGE_SIZE) break;
  }
  return toListing(query, found);
}

async function readListing(store: Store, query: ListingQuery, month: Instant): Promise<Listing> {
  const found = await store.guilds.ranking(month, {
    search: query.search,
    // One extra row shows whether there is a next page.
    limit: PAGE_SIZE + 1,
    offset: (query.page - 1) * PAGE_SIZE,
  });
  return toListing(query, found);
}

function toListing({ search, page }: ListingQuery, found: RankedGuild[]): Listing {
  return { search, page, guilds: found.slice(0, PAGE_SIZE), hasNext: found.length > PAGE_SIZE };
}

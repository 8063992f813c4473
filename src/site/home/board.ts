/**
 * All listed communities in memory, in the orders of the listing. Every visitor sees the same list, so it is read once
 * every few seconds, regardless of how visitors search and sort it.
 *
 *   const board = createBoard({ store, clock });
 *   const { byVotes, tags } = await board.read();
 *   await board.rankOf(guildId, votes);   // { rank: 7, rankBefore: 8 }
 *   const stop = board.keepReady();       // reads a long list in advance
 */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { Language } from '../../domain/guild.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import { currentMonth } from '../../domain/votes/period.ts';
import type { WeeklyVotes } from '../../store/guilds/listing.ts';
import type { Store } from '../../store/store.ts';
import { type BoardGuild, sortInSteps } from './listing.ts';
import { createSearchEntries } from './search-entries.ts';

type BoardData = {
  byVotes: readonly BoardGuild[];
  byAge: readonly BoardGuild[];
  /** The most used first. */
  tags: readonly string[];
  languages: readonly Language[];
};

/** The rank of a community in the month, and its rank with one vote fewer. */
export type GuildRank = { rank: number; rankBefore: number };

/** Communities by their growth since last week, with the votes of these weeks. */
type Trends = { byTrend: readonly BoardGuild[]; weeks: ReadonlyMap<string, WeeklyVotes> };

export type Board = {
  read(): Promise<BoardData>;
  /** Weekly votes change slowly and are slow to count, so they may be a few minutes old. */
  readTrends(): Promise<Trends>;
  /** `votes`: the votes of the month, which may be newer than the board. Null for a community that is not listed. */
  rankOf(guildId: string, votes: number): Promise<GuildRank | null>;
  /** Reads everything now, and a long list again every minute, so that no visitor waits. Returns a stop function. */
  keepReady(): () => void;
};

/** Takes SQLite a few milliseconds; then other requests can run. */
const GUILDS_AT_ONCE = 250;

const MIN_AGE_MS = 3 * SECOND_MS;
const MAX_AGE_MS = 30 * SECOND_MS;
/** The list is cached for this many times as long as reading it took, within the limits above. */
const AGE_PER_READ = 50;

/** The old version of a longer list is served while it is read again, up to MAX_OLD_AGE_MS. */
const WAIT_UP_TO = 1000;
const MAX_OLD_AGE_MS = 3 * MINUTE_MS;
const READY_EVERY_MS = MINUTE_MS;

const MAX_TREND_AGE_MS = 10 * MINUTE_MS;

/** `placeOf`: the index in `byVotes` by guild id. */
type Snapshot = BoardData & {
  month: Instant;
  readAt: Instant;
  maxAgeMs: number;
  placeOf: ReadonlyMap<string, number>;
};

export function createBoard({ store, clock }: { store: Store; clock: Clock }): Board {
  let current: Snapshot | undefined;
  let reading: Promise<Snapshot> | undefined;
  const prepareSearch = createSearchEntries();

  async function readAgain(): Promise<Snapshot> {
    const startedAt = clock();
    const listed = await readAll((after) => store.listing.read(startedAt, after, GUILDS_AT_ONCE));
    const data = await sortAll(await prepareSearch(listed));
    const readAt = clock();
    const maxAgeMs = Math.min(Math.max((readAt - startedAt) * AGE_PER_READ, MIN_AGE_MS), MAX_AGE_MS);
    current = { ...data, month: currentMonth(startedAt).from, readAt: startedAt, maxAgeMs };
    return current;
  }

  async function read(): Promise<Snapshot> {
    const now = clock();
    // If the clock was set back, the list seems to be from the future and would be kept for too long.
    const kept = current && current.readAt <= now ? current : undefined;
    if (kept && isOfMonth(kept, now) && now - kept.readAt < kept.maxAgeMs) return kept;
    reading ??= readAgain().finally(() => {
      reading = undefined;
    });
    const canServeOld = kept && kept.byVotes.length > WAIT_UP_TO && now - kept.readAt < MAX_OLD_AGE_MS;
    if (!canServeOld) return reading;
    reading.catch(() => {}); // The next visitor reads again.
    return kept;
  }

  const weeklyVotes = ttlCache<Trends['weeks']>({
    ...{ clock, maxAgeMs: MAX_TREND_AGE_MS, maxEntries: 1, ageFrom: 'end' },
  });

  let weeks: Trends['weeks'] | undefined;

  async function readWeeks(): Promise<Trends['weeks']> {
    const now = clock();
    const rows = await readAll((after) => store.listing.weeks(now, after, GUILDS_AT_ONCE));
    weeks = new Map(rows.map((row) => [row.guildId, row]));
    return weeks;
  }

  /** For a long list, the previous counts are served while the votes are counted again. */
  async function currentWeeks(): Promise<Trends['weeks']> {
    const old = weeks;
    const next = weeklyVotes.get('', readWeeks);
    if (!old || old.size <= WAIT_UP_TO) return next;
    next.catch(() => {}); // The next visitor reads again.
    return old;
  }

  /** Sorted once for each state of the list. */
  let sorted: { of: BoardData; weeks: Trends['weeks']; byTrend: Promise<BoardGuild[]> } | undefined;

  async function readTrends(): Promise<Trends> {
    const [data, weeks] = await Promise.all([read(), currentWeeks()]);
    if (sorted?.of !== data || sorted.weeks !== weeks)
      sorted = { of: data, weeks, byTrend: byTrend(data, weeks) };
    return { weeks, byTrend: await sorted.byTrend };
  }

  function keepReady(): () => void {
    const ignore = () => {}; // The next visitor reads again.
    void read().then(readTrends).catch(ignore);
    const readLong = () => {
      if (current && current.byVotes.length > WAIT_UP_TO) void read().catch(ignore);
    };
    const timer = setInterval(readLong, READY_EVERY_MS).unref();
    return () => clearInterval(timer);
  }

  return {
    read,
    readTrends,
    keepReady,
    async rankOf(guildId, votes) {
      const snapshot = await read();
      const { byVotes, placeOf } = snapshot;
      // The votes of last month say nothing about the rank in this one.
      if (!isOfMonth(snapshot, clock())) return null;
      const ownPlace = placeOf.get(guildId);
      const own = ownPlace === undefined ? undefined : byVotes[ownPlace];
      if (ownPlace === undefined || !own) return null;
      const placeWith = (count: number) => {
        const before = countBefore(byVotes, { ...own, votes: count });
        return 1 + before - Number(ownPlace < before);
      };
      return { rank: placeWith(votes), rankBefore: placeWith(votes - 1) };
    },
  };
}

function isOfMonth({ month }: Snapshot, now: Instant): boolean {
  return month === currentMonth(now).from;
}

async function readAll<Row extends { guildId: string }>(
  readAfter: (guildId: string) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const part = await readAfter(rows.at(-1)?.guildId ?? '');
    for (const row of part) rows.push(row);
    if (part.length < GUILDS_AT_ONCE) return rows;
    await yieldToRequests();
  }
}

async function sortAll(guilds: readonly BoardGuild[]): Promise<BoardData & Pick<Snapshot, 'placeOf'>> {
  const byVotes = await sortInSteps(guilds, moreVotesFirst);
  const placeOf = new Map<string, number>();
  const [tagUses, languageUses] = [new Map<string, number>(), new Map<Language, number>()];
  for (const [place, { guildId, tags, language }] of byVotes.entries()) {
    placeOf.set(guildId, place);
    for (const tag of tags) tagUses.set(tag, (tagUses.get(tag) ?? 0) + 1);
    if (language !== null) languageUses.set(language, (languageUses.get(language) ?? 0) + 1);
    if (place % GUILDS_AT_ONCE === 0) await yieldToRequests();
  }
  return {
    byVotes,
    placeOf,
    byAge: await sortInSteps(byVotes, (a, b) => b.createdAt - a.createdAt),
    tags: await mostUsed(tagUses),
    languages: await mostUsed(languageUses),
  };
}

/** Then by name, regardless of case and accents. */
function moreVotesFirst(a: BoardGuild, b: BoardGuild): number {
  return b.votes - a.votes || compare(a.folded, b.folded) || compare(a.guildId, b.guildId);
}

/** How many guilds come before this one, by binary search: comparing it with 20,000 others takes 30 ms. */
function countBefore(byVotes: readonly BoardGuild[], guild: BoardGuild): number {
  let [from, to] = [0, byVotes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = byVotes[middle];
    if (other && moreVotesFirst(other, guild) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

async function byTrend({ byVotes }: BoardData, weeks: Trends['weeks']): Promise<BoardGuild[]> {
  const all = byVotes.flatMap((guild) => {
    const votes = weeks.get(guild.guildId) ?? NO_VOTES;
    return votes.week === 0 ? [] : [{ guild, trend: trendOf(votes) }];
  });
  return (await sortInSteps(all, (a, b) => b.trend - a.trend)).map(({ guild }) => guild);
}

const NO_VOTES = { week: 0, previousWeek: 0 };

/** Communities with fewer votes in both weeks together come after all others: their growth says nothing. */
const MIN_TREND_VOTES = 20;

/**
 * How unusual the growth since last week is: a difference alone would favor large communities, and a percentage those
 * that grew from one vote to three.
 */
export function trendOf({ week, previousWeek }: Pick<WeeklyVotes, 'week' | 'previousWeek'>): number {
  const growth = (week - previousWeek) / Math.sqrt(previousWeek + MIN_TREND_VOTES);
  return week + previousWeek < MIN_TREND_VOTES ? growth - SMALL : growth;
}

/** More than any growth that can be lost. */
const SMALL = 1e6;

async function mostUsed<Value extends string>(uses: ReadonlyMap<Value, number>): Promise<Value[]> {
  const sorted = await sortInSteps([...uses], ([a, x], [b, y]) => y - x || compare(a, b));
  return sorted.map(([value]) => value);
}

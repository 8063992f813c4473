/**
 * The contents of the data sets. Everything is derived from a number, so requests can be written for any
 * guild and user without reading the database, and both databases hold the same votes.
 */
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../src/domain/clock.ts';

export type Shape = {
  guilds: number;
  votesPerGuild: number;
  /**
   * Votes in the month of guilds that are only used for lists, smallest first; they come after the others.
   */
  lists: readonly number[];
  /** How many of these lists, from the first, PostgreSQL has. */
  postgresLists: number;
  /** Lines in the imported file. */
  imported: number;
  /** Of the data set for pages; `ownVotes` are those of the community whose dashboard is opened. */
  pages: { guilds: number; votesPerGuild: number; ownVotes: number };
};

export const FULL: Shape = {
  guilds: 10_000,
  votesPerGuild: 100,
  lists: [10_000, 100_000, 1_000_000, 10_000_000],
  postgresLists: 4,
  imported: 50_000,
  pages: { guilds: 20_000, votesPerGuild: 500, ownVotes: 100_000 },
};

/** The longest list of PostgreSQL is left out: it takes minutes to create. */
export const QUICK: Shape = { ...FULL, postgresLists: 3 };

/** Only checks that the benchmark works. */
export const SMOKE: Shape = {
  guilds: 40,
  votesPerGuild: 20,
  lists: [300, 2500],
  postgresLists: 2,
  imported: 2000,
  pages: { guilds: 40, votesPerGuild: 20, ownVotes: 500 },
};

/** The servers' clocks start here, so the latest votes stay within the last hour. */
export const NOW: Instant = Date.UTC(2026, 9, 31, 18);
export const MONTH: Instant = Date.UTC(2026, 9, 1);
export const PREMIUM_UNTIL: Instant = Date.UTC(2099, 0, 1);
export const LIST_SPAN_MS = 30 * DAY_MS;

/** The number of users per guild that voted within the last half hour. */
export const RECENT_USERS = 2;
const OLDEST_MS = 29 * DAY_MS;

export function guildId(guild: number): string {
  return String(100_000_000_000_000_000n + BigInt(guild) * 1_000_003n);
}

export function userId(guild: number, user: number): string {
  return String(200_000_000_000_000_000n + BigInt(guild) * 1000n + BigInt(user));
}

export function externalId(guild: number, user: number): string {
  return `player_${guild}_${user}`;
}

/** User ids of a list; each user votes about ten times in the month. */
export function listUserId(list: number, vote: number, votes: number): string {
  return String(300_000_000_000_000_000n + BigInt(list) * 1_000_000_000n + BigInt(listUser(vote, votes)));
}

export function listCastAt(vote: number, votes: number): Instant {
  return MONTH + vote * Math.floor(LIST_SPAN_MS / votes);
}

function listUser(vote: number, votes: number): number {
  return (vote * 7919) % listUsers(votes);
}

function listUsers(votes: number): number {
  return Math.max(10, Math.floor(votes / 10));
}

/**
 * The same rules as SQL for both databases, for the guild `g` and its user or vote `i`. Integer `/` and `%`
 * behave the same in both.
 */
export const SPREAD_SQL = {
  guildId: 'CAST(100000000000000000 + g * 1000003 AS TEXT)',
  userId: 'CAST(200000000000000000 + g * 1000 + i AS TEXT)',
  castAt: `CASE WHEN i < ${RECENT_USERS}
    THEN ${NOW} - ${MINUTE_MS} * (1 + (g * 7 + i * 13) % 25)
    ELSE ${NOW - 2 * HOUR_MS} - (g * 7919317 + i * ${OLDEST_MS / 100}) % ${OLDEST_MS} END`,
  externalId: "CASE WHEN i % 4 = 0 THEN 'player_' || g || '_' || i END",
  isDoubled: 'i % 7 = 0',
};

export function listSql(list: number, votes: number) {
  return {
    userId: `CAST(${300_000_000_000_000_000n + BigInt(list) * 1_000_000_000n} + i * 7919 % ${listUsers(votes)} AS TEXT)`,
    castAt: `${MONTH} + i * ${Math.floor(LIST_SPAN_MS / votes)}`,
    isDoubled: 'i % 7 = 0',
  };
}

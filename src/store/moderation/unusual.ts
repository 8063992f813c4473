/** Marked votes, for review by admins and operators. */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Instant } from '../../domain/clock.ts';
import { MARK_BITS, marksOf, type VoteMark } from '../../domain/votes/marks.ts';
import type { Period } from '../../domain/votes/period.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import type { Database } from '../database.ts';
import { toVote, type VoteRow } from '../votes/votes.ts';

export type MarkedVote = Vote & { marks: VoteMark[] };

/** Marked votes of all guilds are listed by time, then guild, then user. */
export type MarkedPosition = Pick<Vote, 'castAt' | 'guildId' | 'userId'>;

/** `next`: where the next page starts; null for the last page. It can be set even if no vote with the mark is left. */
export type MarkedPage = { votes: MarkedVote[]; next: MarkedPosition | null };

/** Votes of a UTC day with each mark. */
export type MarkedDay = { day: Instant } & Record<VoteMark, number>;

export type GuildSummary = {
  /** Days with marked votes, in order. Only the newest `MAX_SUMMED` marked votes are counted. */
  days: MarkedDay[];
  /** The names with the most votes marked `shared_name`. */
  sharedNames: { name: string; votes: number }[];
  /** The number of networks that votes marked `busy_network` came from, as far as they are still known. */
  busyNetworks: number;
};

export type HourlyVotes = { hour: Instant; votes: number; doubled: number };

const MAX_SUMMED = 10_000;
/** Names and networks are read from the votes themselves, not only from the index. */
const MAX_EXAMINED = 1000;
const MAX_NAMES = 5;

/**
 * Marked votes, for review by admins and operators. Networks are counted here and never returned.
 *
 *   const { votes, next } = await store.unusual.list('busy_network', null, 50);
 */
export interface UnusualStore {
  /**
   * The newest marked votes of all guilds, from just before `before`; with this mark, or with any mark when it is null.
   */
  list(mark: VoteMark | null, before: MarkedPosition | null, limit: number): Promise<MarkedPage>;
  summarize(guildId: string, from: Instant): Promise<GuildSummary>;
  /** Votes per UTC hour in the period, marked or not, without empty hours. */
  hourly(guildId: string, period: Period): Promise<HourlyVotes[]>;
}

/** Takes a millisecond or two, because only the index is read. */
const SCANNED_AT_ONCE = 2000;
/** The scans per page: with a rare mark, a page can end early, and the next one continues. */
const MAX_SCANS = 50;

const ALL_MARKS = MARK_BITS.young_account | MARK_BITS.busy_network | MARK_BITS.shared_name;

type MarkedScan = { before: MarkedPosition; bits: number; limit: number };

/** `place`: the position among the scanned votes, starting at 1. */
type ScannedVote = MarkedPosition & { bits: number; place: number };

/** How a database reads marked votes. */
type MarkedReader = {
  /** Reads `limit` votes from the index only. Returns those with one of the marks, and always the last one. */
  scan(scan: MarkedScan): Promise<ScannedVote[]>;
  /** In the given order; votes that were removed in the meantime are omitted. */
  load(positions: readonly MarkedPosition[]): Promise<(Vote & { bits: number })[]>;
};

/** Reads marked votes until a page is full. */
async function scanMarked(
  { scan, load }: MarkedReader,
  mark: VoteMark | null,
  before: MarkedPosition | null,
  limit: number,
): Promise<MarkedPage> {
  const found: MarkedPosition[] = [];
  const pageUntil = async (next: MarkedPosition | null): Promise<MarkedPage> => {
    const votes = await load(found);
    return { votes: votes.map(({ bits, ...vote }) => ({ ...vote, marks: marksOf(bits) })), next };
  };
  const wanted =
    mark === null ? { bits: ALL_MARKS, limit: limit + 1 } : { bits: MARK_BITS[mark], limit: SCANNED_AT_ONCE };
  let position = before ?? { castAt: Number.MAX_SAFE_INTEGER, guildId: '', userId: '' };
  for (let scans = 0; scans < MAX_SCANS; scans += 1) {
    const scanned = await scan({ before: position, ...wanted });
    for (const vote of scanned) {
      if ((vote.bits & wanted.bits) === 0) continue;
      if (found.length === limit) return pageUntil(found.at(-1) ?? null);
      found.push(vote);
    }
    const last = scanned.at(-1);
    if (last?.place !== wanted.limit) return pageUntil(null);
    position = last;
    await yieldToRequests();
  }
  return pageUntil(position);
}

export function createUnusualStore(database: Database): UnusualStore {
  const sql = prepare(database);
  const reader: MarkedReader = {
    scan: ({ before, bits, limit }) => sql.scan({ ...before, bits, limit }),
    async load(positions) {
      const asked = positions.map(({ guildId, castAt, userId }, place) => ({
        guildId,
        castAt,
        userId,
        place,
      }));
      const rows = await sql.marked({ positions: JSON.stringify(asked) });
      return rows.map((row) => ({ ...toVote(row), bits: row.marks }));
    },
  };
  return {
    list: (mark, before, limit) => scanMarked(reader, mark, before, limit),
    async summarize(guildId, from) {
      const days = await sql.days({ guildId, from });
      await yieldToRequests();
      const sharedNames = await sql.sharedNames({ guildId, from });
      await yieldToRequests();
      const [busy] = await sql.busyNetworks({ guildId, from });
      return { days, sharedNames, busyNetworks: busy?.networks ?? 0 };
    },
    hourly: (guildId, { from, to }) => sql.hourly({ guildId, from, to }),
  };
}

const POSITION = { guildId: 'TEXT', castAt: 'BIGINT', userId: 'TEXT', place: 'BIGINT' } as const;

const countOf = (mark: VoteMark) => `count(*) FILTER (WHERE marks & ${MARK_BITS[mark]} <> 0) AS ${mark}`;

function prepare({ read, dialect: { indexedBy, rowsOf } }: Database) {
  /** The newest marked votes of the guild. Index votes_marked only. */
  const newest = `
    SELECT cast_at, user_id, marks FROM votes ${indexedBy('votes_marked')}
    WHERE guild_id = @guildId AND marks <> 0 AND cast_at >= @from
    ORDER BY cast_at DESC, user_id DESC LIMIT ${MAX_SUMMED}`;
  /** The newest votes with this mark; others are skipped in the index. */
  const examined = (mark: VoteMark) => `
    (SELECT cast_at, user_id FROM (${newest}) AS newest
     WHERE marks & ${MARK_BITS[mark]} <> 0 LIMIT ${MAX_EXAMINED}) AS examined`;
  /** The primary key, or votes_by_user: both find one vote. PostgreSQL would join all votes of the guild. */
  const ofVote = (column: string) => `(
    SELECT ${column} FROM votes
    WHERE guild_id = @guildId AND votes.cast_at = examined.cast_at AND votes.user_id = examined.user_id)`;
  return {
    // Index votes_marked_by_time only, read backwards.
    scan: read<ScannedVote>(`
      SELECT * FROM (
        SELECT guild_id AS "guildId", user_id AS "userId", cast_at AS "castAt", marks AS bits,
          row_number() OVER () AS place
        FROM (
          SELECT guild_id, user_id, cast_at, marks FROM votes ${indexedBy('votes_marked_by_time')}
          WHERE marks > 0 AND (cast_at, guild_id, user_id) < (@castAt, @guildId, @userId)
          ORDER BY cast_at DESC, guild_id DESC, user_id DESC LIMIT @limit + 0
        ) AS newest
      ) AS scanned WHERE bits & @bits <> 0 OR place = @limit ORDER BY place`),
    // The primary key, or votes_by_user: both find one vote each.
    marked: read<VoteRow & { marks: number }>(`
      SELECT guild_id, user_id, cast_at, external_id, is_doubled, marks
      FROM ${rowsOf('@positions', POSITION)} AS asked
      JOIN votes ON guild_id = asked."guildId" AND cast_at = asked."castAt" AND user_id = asked."userId"
      ORDER BY place`),
    days: read<MarkedDay>(`
      SELECT cast_at - (cast_at % 86400000 + 86400000) % 86400000 AS day,
        ${countOf('young_account')}, ${countOf('busy_network')}, ${countOf('shared_name')}
      FROM (${newest}) AS newest GROUP BY day ORDER BY day`),
    sharedNames: read<{ name: string; votes: number }>(`
      SELECT min(name) AS name, count(*) AS votes
      FROM (SELECT ${ofVote('external_id')} AS name, ${ofVote('name_key')} AS name_key
            FROM ${examined('shared_name')}) AS named
      GROUP BY name_key ORDER BY votes DESC, name LIMIT ${MAX_NAMES}`),
    busyNetworks: read<{ networks: number }>(`
      SELECT count(DISTINCT network) AS networks
      FROM (SELECT ${ofVote('network')} AS network FROM ${examined('busy_network')}) AS networks`),
    // The primary key of hourly_votes.
    hourly: read<HourlyVotes>(`
      SELECT hour, votes, doubled FROM hourly_votes
      WHERE guild_id = @guildId AND hour >= @from AND hour < @to ORDER BY hour`),
  };
}

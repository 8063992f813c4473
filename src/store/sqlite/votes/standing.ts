import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { DAY_MS, type Instant } from '../../../domain/clock.ts';
import { dayOf, monthOf, wholeMonth } from '../../../domain/votes/period.ts';
import type { Standing } from '../../../domain/votes/standing.ts';
import type { VoterTotals } from '../../../domain/votes/vote.ts';
import { type CountedRange, planTotals, type TotalsRange } from '../../votes/totals.ts';
import { MAX_RANKED_VOTES, type VoteStore } from '../../votes/votes.ts';
import type { Connection, Connections } from '../connection.ts';
import { prepareRead, withPositions } from '../database.ts';
import { compareIds } from './rankings.ts';

const OF_USER = 'FROM votes INDEXED BY votes_by_user WHERE guild_id = @guildId AND user_id = @userId';

/** Whether the user voted on the UTC day that starts at this instant, up to now. */
const ON_DAY = (day: string) =>
  `EXISTS (SELECT 1 ${OF_USER} AND cast_at >= ${day} AND cast_at < ${day} + ${DAY_MS} AND cast_at <= @now)`;

/**
 * Votes that are read at most to find a streak. For a voter with a vote on each of 100 days, this takes less than half of
 * the time of a lookup per day. Longer streaks are looked up.
 */
const NEWEST_VOTES = 128;

/** Index votes_by_user, in every statement about one user. */
export const STANDING_QUERIES = {
  newest: `SELECT cast_at ${OF_USER} AND cast_at <= @now ORDER BY cast_at DESC LIMIT ${NEWEST_VOTES}`,
  // One range for the total, and one lookup per day of the streak.
  totals: `
    WITH RECURSIVE streak (day) AS (
      SELECT CASE WHEN ${ON_DAY('@today')} THEN @today ELSE @today - ${DAY_MS} END
      WHERE ${ON_DAY('@today')} OR ${ON_DAY(`(@today - ${DAY_MS})`)}
      UNION ALL
      SELECT day - ${DAY_MS} FROM streak WHERE ${ON_DAY(`(day - ${DAY_MS})`)}
    )
    SELECT (SELECT count(*) ${OF_USER} AND cast_at <= @now) AS totalVotes,
      (SELECT count(*) FROM streak) AS streakDays`,
  // For each range of a JSON list; `place` is its index. `days`: those of the newest votes before the day.
  ranges: `
    SELECT asked.key AS place, (
        SELECT count(*) FROM votes v INDEXED BY votes_by_user
        WHERE v.guild_id = @guildId AND v.user_id = asked.value ->> 'userId'
          AND v.cast_at > asked.value ->> 'after' AND v.cast_at <= asked.value ->> 'until'
      ) AS votes, (
        SELECT group_concat(day) FROM (
          SELECT v.cast_at / ${DAY_MS} AS day FROM votes v INDEXED BY votes_by_user
          WHERE v.guild_id = @guildId AND v.user_id = asked.value ->> 'userId'
            AND v.cast_at >= (asked.value ->> 'sinceDay') + ${DAY_MS} AND v.cast_at < asked.value ->> 'day'
          ORDER BY v.cast_at DESC LIMIT ${NEWEST_VOTES}
        )
      ) AS days
    FROM json_each(@ranges) AS asked`,
  // For each range of a JSON list, one lookup per day before the day.
  streaks: `
    SELECT asked.key AS place, (
        WITH RECURSIVE streak (user_id, day, since_day) AS (
          SELECT asked.value ->> 'userId', asked.value ->> 'day', asked.value ->> 'sinceDay'
          UNION ALL
          SELECT user_id, day - ${DAY_MS}, since_day FROM streak WHERE day - ${DAY_MS} > since_day AND EXISTS (
            SELECT 1 FROM votes v INDEXED BY votes_by_user
            WHERE v.guild_id = @guildId AND v.user_id = streak.user_id
              AND v.cast_at >= streak.day - ${DAY_MS} AND v.cast_at < streak.day
          )
        )
        SELECT count(*) - 1 FROM streak
      ) AS days
    FROM json_each(@ranges) AS asked`,
  inMonth: `SELECT count(*) AS votes ${OF_USER} AND cast_at >= @from AND cast_at <= @now`,
  ofGuild: 'SELECT votes FROM monthly_votes WHERE guild_id = @guildId AND month = @month',
  // The primary key.
  voters: `
    SELECT cast_at, user_id FROM votes
    WHERE guild_id = @guildId AND (cast_at, user_id) > (@afterCastAt, @afterUserId) AND cast_at <= @now
    ORDER BY cast_at, user_id LIMIT @limit + 0`,
} as const;

type ReadTotals = (guildId: string, userId: string, now: Instant) => VoterTotals;

/** Reads inside the transaction of `db`, so a vote that was just written is included. */
export function createVoterTotals(db: Connection): ReadTotals {
  const newest = db
    .prepare<[string, string, Instant], Instant>(withPositions(STANDING_QUERIES.newest))
    .pluck();
  const totals = prepareRead<VoterTotals>(db, STANDING_QUERIES.totals);
  return (guildId, userId, now) => {
    const today = dayOf(now);
    const votes = newest.all(guildId, userId, now);
    if (votes.length === NEWEST_VOTES)
      return totals.first({ guildId, userId, now, today }) ?? { totalVotes: 0, streakDays: 0 };
    const days = new Set(votes.map(dayOf));
    const streakDays = countDaysBefore(days.has(today) ? today + DAY_MS : today, days);
    return { totalVotes: votes.length, streakDays };
  };
}

/** Consecutive days that end just before this one. */
function countDaysBefore(day: Instant, days: ReadonlySet<Instant>): number {
  let count = 0;
  while (days.has(day - (count + 1) * DAY_MS)) count += 1;
  return count;
}

/** Voters with thousands of votes take a tenth of a millisecond each; after this many, other requests run. */
const RANGES_AT_ONCE = 50;

export function createTotalsOf(db: Connection): VoteStore['totalsOf'] {
  const count = prepareRead<{ place: number; votes: number; days: string | null }>(
    db,
    STANDING_QUERIES.ranges,
  );
  const countLong = prepareRead<{ place: number; days: number }>(db, STANDING_QUERIES.streaks);

  function countRanges(guildId: string, ranges: readonly TotalsRange[]): CountedRange[] {
    const counted: CountedRange[] = [];
    const long: { range: TotalsRange; counted: CountedRange }[] = [];
    for (const { place, votes, days } of count.all({ guildId, ranges: JSON.stringify(ranges) })) {
      const range = ranges[place];
      if (!range) continue;
      const read = days?.split(',').map((day) => Number(day) * DAY_MS) ?? [];
      const found = new Set(read);
      const ofRange = { votes, days: countDaysBefore(range.day, found) };
      counted[place] = ofRange;
      if (read.length === NEWEST_VOTES && ofRange.days === found.size)
        long.push({ range: { ...range, day: range.day - ofRange.days * DAY_MS }, counted: ofRange });
    }
    if (long.length === 0) return counted;
    const asked = JSON.stringify(long.map(({ range }) => range));
    for (const { place, days } of countLong.all({ guildId, ranges: asked })) {
      const ofRange = long[place]?.counted;
      if (ofRange) ofRange.days += days;
    }
    return counted;
  }

  return async (votes) => {
    const [first] = votes;
    if (!first) return [];
    const { ranges, combine } = planTotals(votes);
    const counted: CountedRange[] = [];
    for (let start = 0; start < ranges.length; start += RANGES_AT_ONCE) {
      if (start > 0) await yieldToRequests();
      counted.push(...countRanges(first.guildId, ranges.slice(start, start + RANGES_AT_ONCE)));
    }
    return combine(counted);
  };
}

/** Votes read at a time, in a few milliseconds, then other requests run. */
const VOTES_AT_ONCE = 2000;

type VoterRow = { cast_at: Instant; user_id: string };

type Ranks = Pick<Standing, 'rank' | 'rankBefore' | 'next'>;
const NO_RANKS: Ranks = { rank: null, rankBefore: null, next: null };

export function createStanding(database: Connections): VoteStore['standing'] {
  const { reader } = database;
  const totalsOf = createVoterTotals(reader);
  const inMonth = reader.prepare<[object], { votes: number }>(STANDING_QUERIES.inMonth);
  const ofGuild = reader.prepare<[object], { votes: number }>(STANDING_QUERIES.ofGuild);
  const voters = reader.prepare<[object], VoterRow>(STANDING_QUERIES.voters);

  async function countVoters(guildId: string, now: Instant): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    let after = { afterCastAt: wholeMonth(now).from - 1, afterUserId: '\u{10ffff}' };
    for (;;) {
      const rows = voters.all({ guildId, now, ...after, limit: VOTES_AT_ONCE });
      for (const { user_id } of rows) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
      const last = rows.at(-1);
      if (!last || rows.length < VOTES_AT_ONCE) return counts;
      after = { afterCastAt: last.cast_at, afterUserId: last.user_id };
      await yieldToRequests();
    }
  }

  async function ranksOf(guildId: string, userId: string, now: Instant): Promise<Ranks> {
    const counts = await countVoters(guildId, now);
    const own = counts.get(userId) ?? 0;
    counts.delete(userId);
    const others = [...counts];
    /** The votes with which the user is ahead of each of them. */
    const needed = others.map(([id, votes]) => votes + Number(compareIds(id, userId) < 0));
    const placeWith = (own: number) => 1 + needed.filter((votes) => votes > own).length;
    const least = needed.reduce((least, votes) => (votes > own ? Math.min(least, votes) : least), Infinity);
    return {
      rank: placeWith(own),
      rankBefore: own > 1 ? placeWith(own - 1) : null,
      next: least === Infinity ? null : { votes: least - own, rank: placeWith(least) },
    };
  }

  return async (guildId, userId, now) => {
    const month = monthOf(now);
    const totals = totalsOf(guildId, userId, now);
    const votesThisMonth = inMonth.get({ guildId, userId, from: month, now })?.votes ?? 0;
    const isRanked = votesThisMonth > 0 && (ofGuild.get({ guildId, month })?.votes ?? 0) <= MAX_RANKED_VOTES;
    const ranks = isRanked ? await database.track(ranksOf(guildId, userId, now)) : NO_RANKS;
    return { ...totals, votesThisMonth, ...ranks };
  };
}

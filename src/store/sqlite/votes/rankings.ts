/** Who has the most votes in a period: users, and external ids. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Period } from '../../../domain/votes/period.ts';
import type { VoteStore } from '../../votes/votes.ts';
import type { Connection } from '../connection.ts';

/**
 * `votesAtOnce`: a period with at most this many votes is counted at once, in about five milliseconds. `entriesAtOnce`:
 * otherwise this many index entries are read at a time, in about two milliseconds, then other requests run.
 */
const LIMITS = { votesAtOnce: 10_000, entriesAtOnce: 10_000 };

type Ranking = { column: string; index: string; order: string };

const RANKED = (order: string) => `HAVING count(*) >= @least ORDER BY votes DESC, ${order} LIMIT @limit + 0`;

/**
 * Who has the most votes in a period. A short period is grouped at once: its votes are found by the primary key, and
 * the plus sign prevents reading all votes of the guild in the order of the index. A long one is read in parts of that
 * index, which need no sorting: this takes a tenth of the time of finding each voter and their votes separately.
 */
const RANKING_QUERIES = ({ column, index, order }: Ranking) =>
  ({
    ofPeriod: `
      SELECT ${column} AS id, count(*) AS votes FROM votes
      WHERE guild_id = @guildId AND cast_at >= @from AND cast_at < @to AND +${column} IS NOT NULL
      GROUP BY +${column} ${RANKED(order)}`,
    endOfPart: `
      SELECT coalesce(
        (SELECT ${column} FROM votes INDEXED BY ${index} WHERE guild_id = @guildId AND ${column} > @after
         ORDER BY ${column} LIMIT 1 OFFSET @entries + 0),
        (SELECT max(${column}) FROM votes INDEXED BY ${index} WHERE guild_id = @guildId AND ${column} > @after)
      ) AS id`,
    ofPart: `
      SELECT ${column} AS id, count(*) AS votes FROM votes INDEXED BY ${index}
      WHERE guild_id = @guildId AND ${column} > @after AND ${column} <= @last AND cast_at >= @from AND cast_at < @to
      GROUP BY ${column} ${RANKED(order)}`,
  }) as const;

export const VOTER_RANKING = RANKING_QUERIES({
  column: 'user_id',
  index: 'votes_by_user',
  order: 'length(user_id), user_id',
});

export const NAME_RANKING = RANKING_QUERIES({
  column: 'name_key',
  index: 'votes_by_external_id',
  order: 'name_key',
});

/** The spelling of a name that was used last in a period. */
export const NEWEST_SPELLING = `
  SELECT external_id AS name FROM votes INDEXED BY votes_by_external_id
  WHERE guild_id = @guildId AND name_key = @id AND cast_at >= @from AND cast_at < @to
  ORDER BY cast_at DESC, user_id DESC LIMIT 1`;

type Counted = { id: string; votes: number };
type Compare = (a: string, b: string) => number;
type Top = (guildId: string, period: Period, limit: number) => Promise<Counted[]>;
/** Resolves when it is the turn of a part. */
type NextTurn = () => Promise<void>;

/** One part per tick of the event loop, in the order of the calls: many rankings at once delay others no more than one. */
function createTurns(): NextTurn {
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    const turn = last.then(() => letOthersRun());
    last = turn;
    await turn;
  };
}

export function createRankings(
  db: Connection,
  count: VoteStore['count'],
  limits = LIMITS,
): Pick<VoteStore, 'topVoters' | 'topNames'> {
  const nextTurn = createTurns();
  const voters = createTop(db, VOTER_RANKING, { ...limits, compare: compareIds, count, nextTurn });
  const names = createTop(db, NAME_RANKING, { ...limits, compare: compareBytes, count, nextTurn });
  const newestSpelling = db.prepare<[object], { name: string }>(NEWEST_SPELLING);
  return {
    async topVoters(...params) {
      return (await voters(...params)).map(({ id, votes }) => ({ userId: id, votes }));
    },
    async topNames(guildId, period, limit) {
      const top = await names(guildId, period, limit);
      return top.map(({ id, votes }) => {
        const name = newestSpelling.get({ guildId, id, ...period })?.name ?? id;
        return { name, votes };
      });
    },
  };
}

type TopOptions = typeof LIMITS & { compare: Compare; count: VoteStore['count']; nextTurn: NextTurn };

function createTop(
  db: Connection,
  queries: typeof VOTER_RANKING,
  { compare, count, nextTurn, votesAtOnce, entriesAtOnce }: TopOptions,
): Top {
  const ofPeriod = db.prepare<[object], Counted>(queries.ofPeriod);
  const endOfPart = db.prepare<[object], { id: string | null }>(queries.endOfPart);
  const ofPart = db.prepare<[object], Counted>(queries.ofPart);
  const moreVotesFirst = (a: Counted, b: Counted): number => b.votes - a.votes || compare(a.id, b.id);

  return async (guildId, period, limit) => {
    const votes = await count({ guildId, userId: null, period });
    const asked = { guildId, ...period, limit };
    await nextTurn();
    if (votes <= votesAtOnce) return ofPeriod.all({ ...asked, least: 1 });
    let top: Counted[] = [];
    for (let after = ''; ; ) {
      const last = endOfPart.get({ guildId, after, entries: entriesAtOnce })?.id;
      if (last === undefined || last === null) return top;
      const least = (top.length === limit && top.at(-1)?.votes) || 1;
      const part = ofPart.all({ ...asked, after, last, least });
      top = [...top, ...part].sort(moreVotesFirst).slice(0, limit);
      after = last;
      await nextTurn();
    }
  };
}

/** Compares ids as numbers: one with fewer digits is smaller. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || compareBytes(a, b);
}

/** Compares text as both databases do: JavaScript orders characters beyond U+FFFF differently. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Instant } from '../../domain/clock.ts';
import type { Voter, VoteStore } from '../store.ts';
import type { Connection } from './connection.ts';

/** A guild may have a million voters. So many are counted in one go, a few milliseconds, then requests have their turn. */
const VOTERS_AT_ONCE = 500;

/**
 * The guild's voters after one, by id, with their votes in the period. Index votes_by_user: from one voter it jumps to
 * the next, and reads only votes of the period. Grouping the period's votes instead sorts all of them: five times the time.
 */
export const VOTERS = `
  WITH RECURSIVE
    next (user_id) AS (
      SELECT min(user_id) FROM votes INDEXED BY votes_by_user WHERE guild_id = @guildId AND user_id > @after
      UNION ALL
      SELECT (SELECT min(user_id) FROM votes INDEXED BY votes_by_user
              WHERE guild_id = @guildId AND user_id > next.user_id)
      FROM next WHERE next.user_id IS NOT NULL LIMIT ${VOTERS_AT_ONCE}
    )
  SELECT user_id AS userId, (SELECT count(*) FROM votes INDEXED BY votes_by_user
    WHERE guild_id = @guildId AND user_id = next.user_id AND cast_at >= @from AND cast_at < @to) AS votes
  FROM next WHERE user_id IS NOT NULL`;

type Asked = { guildId: string; after: string; from: Instant; to: Instant };

export function createTopVoters(db: Connection): VoteStore['topVoters'] {
  const voters = db.prepare<[Asked], Voter>(VOTERS);
  return async (guildId, { from, to }, limit) => {
    let top: Voter[] = [];
    let after: string | undefined = '';
    while (after !== undefined) {
      const counted: Voter[] = voters.all({ guildId, after, from, to });
      const present = counted.filter((voter) => voter.votes > 0);
      top = [...top, ...present].sort(moreVotesFirst).slice(0, limit);
      after = counted.at(-1)?.userId;
      await letOthersRun();
    }
    return top;
  };
}

function moreVotesFirst(a: Voter, b: Voter): number {
  return b.votes - a.votes || (a.userId < b.userId ? -1 : 1);
}

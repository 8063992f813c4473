import type { Vote } from '../../../domain/votes/vote.ts';
import type { Connection } from '../connection.ts';
import type { HotCache } from '../hot-cache.ts';

/** The columns of a vote that only the store reads. */
export type VoteDetails = {
  nameKey: string | null;
  seq: number | null;
  marks: number;
  network: string | null;
};

/** Returns false if the vote exists already. */
export type InsertVote = (vote: Vote, details: VoteDetails) => boolean;

/**
 * Every vote that the writer adds passes through here, and is added to the cache. A trigger could add it as well, but
 * SQLite copies each page that a statement with a trigger changes, to be able to undo it, which takes 7 µs for each vote.
 */
export function createVoteInsert(db: Connection, cache: Pick<HotCache, 'addVote'>): InsertVote {
  // The primary key.
  const insert = db.prepare(
    `INSERT INTO votes (guild_id, cast_at, user_id, external_id, name_key, is_doubled, seq, marks, network)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (guild_id, cast_at, user_id) DO NOTHING`,
  );
  return (vote, { nameKey, seq, marks, network }) => {
    const { guildId, castAt, userId, externalId, isDoubled } = vote;
    const doubled = Number(isDoubled);
    const values = [guildId, castAt, userId, externalId, nameKey, doubled, seq, marks, network];
    if (insert.run(values).changes === 0) return false;
    cache.addVote(vote);
    return true;
  };
}

/** Deletes votes that the operator no longer keeps. Counts by hour and month stay. */
import type { Instant } from '../../domain/clock.ts';
import type { Database } from '../database.ts';

/** `last`: the last guild that was looked at. `dropped`: how many votes were deleted. */
export type PrunedVotes = { last: string; dropped: number };

export interface OldVoteStore {
  /**
   * Deletes at most `limit` votes, voided votes or claims from before `before` of one guild, the first with an id after
   * `afterGuildId` that has any, with the claims and cooldowns that belong to them. Looks at a page of guilds: if none of
   * them has any, nothing is dropped, and the next call continues after `last`. `undefined` when no guild is left.
   */
  prune(before: Instant, afterGuildId: string, limit: number): Promise<PrunedVotes | undefined>;
}

const GUILDS_AT_ONCE = 200;

type Position = { cast_at: Instant; user_id: string };

export function createOldVotes(database: Database): OldVoteStore {
  const sql = prepare(database);
  return {
    async prune(before, after, limit) {
      const last = (await sql.guilds({ after, limit: GUILDS_AT_ONCE })).at(-1)?.guild_id;
      if (last === undefined) return undefined;
      const [found] = await sql.guildsWithOldVotes({ after, last, before });
      if (!found) return { last, dropped: 0 };
      const guildId = found.guild_id;
      for (const oldest of [sql.oldestVotes, sql.oldestVoided, sql.oldestClaims, sql.oldestConsumerClaims]) {
        const positions = await oldest({ guildId, before, limit });
        const end = positions.at(-1);
        if (!end) continue;
        const userIds = [...new Set(positions.map(({ user_id }) => user_id))];
        await sql.drop({ guildId, before, castAt: end.cast_at, userId: end.user_id, userIds });
        return { last: after, dropped: positions.length };
      }
      return { last: after, dropped: 0 };
    },
  };
}

/** The primary key, in all statements. */
function prepare({ read, writeTogether, dialect: { inList } }: Database) {
  const hasOld = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.guild_id = guilds.guild_id AND ${table}.cast_at < @before)`;
  const oldestOf = (table: string) => `
    SELECT cast_at, user_id FROM ${table} WHERE guild_id = @guildId AND cast_at < @before
    ORDER BY cast_at, user_id LIMIT @limit + 0`;
  const dropFrom = (table: string) => `
    DELETE FROM ${table} WHERE guild_id = @guildId AND (cast_at, user_id) <= (@castAt, @userId)`;
  return {
    guilds: read<{ guild_id: string }>(
      'SELECT guild_id FROM guilds WHERE guild_id > @after ORDER BY guild_id LIMIT @limit + 0',
    ),
    guildsWithOldVotes: read<{ guild_id: string }>(`
      SELECT guild_id FROM guilds WHERE guild_id > @after AND guild_id <= @last
        AND (${hasOld('votes')} OR ${hasOld('voided_votes')} OR ${hasOld('vote_claims')} OR ${hasOld('consumer_claims')})
      ORDER BY guild_id LIMIT 1`),
    oldestVotes: read<Position>(oldestOf('votes')),
    oldestVoided: read<Position>(oldestOf('voided_votes')),
    oldestClaims: read<Position>(oldestOf('vote_claims')),
    oldestConsumerClaims: read<Position>(oldestOf('consumer_claims')),
    // Nothing of a vote can be claimed or restored once it is this old, so the order does not matter.
    drop: writeTogether(
      dropFrom('votes'),
      dropFrom('voided_votes'),
      dropFrom('vote_claims'),
      dropFrom('consumer_claims'),
      `DELETE FROM cooldowns
       WHERE guild_id = @guildId AND user_id ${inList('@userIds')} AND last_vote_at < @before`,
    ),
  };
}

/** Deletes votes that the operator no longer keeps. Counts by hour and month stay. */
import type { Instant } from '../../domain/clock.ts';
import type { Database } from '../database.ts';
import { NEXT_GUILDS } from '../guilds/guilds.ts';

/** Where the next batch starts: in a guild that has more, or at the first guild after `after`. */
export type OldVotePosition = { after: string; within: { guildId: string; castAt: Instant } | null };

export const FIRST_OLD_VOTES: OldVotePosition = { after: '', within: null };

/** `dropped`: how many votes were deleted. */
export type PrunedVotes = { next: OldVotePosition; dropped: number };

export interface OldVoteStore {
  /**
   * Deletes at most `limit` votes, voided votes or claims from before `before` of one guild, the first from `position` on
   * that has any, with the claims and cooldowns that belong to them. Looks at a page of guilds: if none of them has any,
   * nothing is dropped. `undefined` when no guild is left.
   */
  prune(before: Instant, position: OldVotePosition, limit: number): Promise<PrunedVotes | undefined>;
}

const GUILDS_AT_ONCE = 200;
const FROM_THE_FIRST = Number.MIN_SAFE_INTEGER;

type Position = { cast_at: Instant; user_id: string };

export function createOldVotes(database: Database): OldVoteStore {
  const sql = prepare(database);

  /** Continues where the batch before ended: a search from the start would pass all rows that were deleted until now. */
  async function pruneGuild(
    guildId: string,
    before: Instant,
    { after, within }: OldVotePosition,
    limit: number,
  ): Promise<PrunedVotes> {
    let from = within?.castAt ?? FROM_THE_FIRST;
    let dropped = 0;
    for (const oldest of [sql.oldestVotes, sql.oldestVoided, sql.oldestClaims, sql.oldestConsumerClaims]) {
      const positions = await oldest({ guildId, from, before, limit: limit - dropped });
      const end = positions.at(-1);
      if (end) {
        const { cast_at: castAt, user_id: userId } = end;
        const userIds = [...new Set(positions.map(({ user_id }) => user_id))];
        await sql.drop({ guildId, from, before, castAt, userId, userIds });
        dropped += positions.length;
        if (dropped >= limit) return { next: { after, within: { guildId, castAt } }, dropped };
      }
      from = FROM_THE_FIRST;
    }
    return { next: { after: guildId, within: null }, dropped };
  }

  return {
    async prune(before, position, limit) {
      const { after, within } = position;
      if (within) return pruneGuild(within.guildId, before, position, limit);
      const last = (await sql.guilds({ after, limit: GUILDS_AT_ONCE })).at(-1)?.guild_id;
      if (last === undefined) return undefined;
      const [found] = await sql.guildsWithOldVotes({ after, last, before });
      if (!found) return { next: { after: last, within: null }, dropped: 0 };
      return pruneGuild(found.guild_id, before, position, limit);
    },
  };
}

/** The primary key, in all statements. */
function prepare({ read, writeTogether, dialect: { inList } }: Database) {
  const hasOld = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.guild_id = guilds.guild_id AND ${table}.cast_at < @before)`;
  const oldestOf = (table: string) => `
    SELECT cast_at, user_id FROM ${table} WHERE guild_id = @guildId AND cast_at >= @from AND cast_at < @before
    ORDER BY cast_at, user_id LIMIT @limit + 0`;
  const dropFrom = (table: string) => `
    DELETE FROM ${table}
    WHERE guild_id = @guildId AND cast_at >= @from AND (cast_at, user_id) <= (@castAt, @userId)`;
  return {
    guilds: read<{ guild_id: string }>(NEXT_GUILDS),
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

/**
 * Removes guilds of any size. A guild disappears at once, and its rows are deleted in small batches, so that no request
 * waits for a long transaction. An interrupted removal can be repeated; until then the retention of a running service
 * continues it.
 */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { Database } from '../database.ts';

/** How many rows are deleted at once: a fraction of a second on both databases. */
const BATCH_SIZE = 2000;

export type RemovalOptions = {
  batchSize?: number;
  /** Called after each batch, with the number of rows deleted so far. */
  onProgress?: (rows: number) => void;
};

/** `isDone`: nothing of the guild is left. */
export type RemovedBatch = { rows: number; isDone: boolean };

export interface RemovalStore {
  /**
   * Deletes the guild with its key, its votes and everything else, and resolves when nothing is left of it. Returns false
   * if the guild does not exist.
   */
  remove(guildId: string, options?: RemovalOptions): Promise<boolean>;
  /** Deletes at most `limit` rows of a guild whose removal has begun. */
  removeBatch(guildId: string, limit: number): Promise<RemovedBatch>;
  /** Guilds whose removal has begun, at most `limit`. They are not found or listed anywhere else. */
  unfinishedRemovals(limit: number): Promise<string[]>;
}

/**
 * Tables whose size per guild is not bounded, each before those it refers to. The others are deleted with the row of
 * the guild.
 */
export const BATCHED_TABLES = [
  'webhook_attempts',
  'webhook_deliveries',
  'webhook_events',
  'idempotency_keys',
  'released_claims',
  'released_consumer_claims',
  'vote_claims',
  'consumer_claims',
  'voided_votes',
  'votes',
  'cooldowns',
  'reminders',
  'voter_role_members',
  'used_challenges',
  'activities',
  'hourly_votes',
  'monthly_votes',
  'reached_goals',
] as const;

export function createRemoval(database: Database): RemovalStore {
  const { read, write, writeMany, dialect } = database;
  // Also sanctioned and not listed, for processes of an earlier version.
  const begin = write(`
    UPDATE guilds SET key_hash = NULL, key_sealed = NULL, key_created_at = NULL,
      removed_at = coalesce(removed_at, ${dialect.now}), sanctioned_at = coalesce(sanctioned_at, ${dialect.now}),
      unlisted_at = coalesce(unlisted_at, ${dialect.now})
    WHERE guild_id = @guildId`);
  const end = write('DELETE FROM guilds WHERE guild_id = @guildId AND removed_at IS NOT NULL');
  const unfinished = read<{ guild_id: string }>(`
    SELECT guild_id FROM guilds ${dialect.indexedBy('guilds_removed')} WHERE removed_at IS NOT NULL
    ORDER BY guild_id LIMIT @limit + 0`);
  // Every table has an index that starts with guild_id. A batch does not wait for rows that are locked, so it cannot
  // deadlock; they are left for the next batch.
  const tables = BATCHED_TABLES.map((table) => ({
    any: read(`SELECT guild_id FROM ${table} WHERE guild_id = @guildId LIMIT 1`),
    deleteSome: writeMany(dialect.deleteSome(table)),
  }));

  async function removeBatch(guildId: string, limit: number): Promise<RemovedBatch> {
    for (const { any, deleteSome } of tables) {
      if ((await any({ guildId })).length > 0)
        return { rows: await deleteSome({ guildId, limit }), isDone: false };
    }
    return { rows: await end({ guildId }), isDone: true };
  }

  return {
    removeBatch,
    async remove(guildId, { batchSize = BATCH_SIZE, onProgress = () => {} } = {}) {
      if ((await begin({ guildId })) === 0) return false;
      let rows = 0;
      for (let isDone = false; !isDone; await yieldToRequests()) {
        const batch = await removeBatch(guildId, batchSize);
        rows += batch.rows;
        isDone = batch.isDone;
        onProgress(rows);
      }
      return true;
    },
    async unfinishedRemovals(limit) {
      return (await unfinished({ limit })).map(({ guild_id }) => guild_id);
    },
  };
}

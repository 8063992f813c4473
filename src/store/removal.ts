/**
 * Removes guilds of any size. A guild disappears at once, and its rows are deleted in small batches, so that no request
 * waits for a long transaction. An interrupted removal can be repeated; until then the retention of a running service
 * continues it.
 */
import { setImmediate as yieldToRequests } from 'node:timers/promises';

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
  'vote_claims',
  'voided_votes',
  'votes',
  'cooldowns',
  'reminders',
  'used_challenges',
  'activities',
  'hourly_votes',
  'monthly_votes',
] as const;

/** `remove` for both databases. `begin` hides the guild; false if there is none. */
export function createRemove(
  begin: (guildId: string) => Promise<boolean>,
  removeBatch: RemovalStore['removeBatch'],
): RemovalStore['remove'] {
  return async (guildId, { batchSize = BATCH_SIZE, onProgress = () => {} } = {}) => {
    if (!(await begin(guildId))) return false;
    let rows = 0;
    for (let isDone = false; !isDone; await yieldToRequests()) {
      const batch = await removeBatch(guildId, batchSize);
      rows += batch.rows;
      isDone = batch.isDone;
      onProgress(rows);
    }
    return true;
  };
}

/** Consumers of a guild besides `default`: they exist from their first claim on. */
import { HOUR_MS, type Instant } from '../../domain/clock.ts';
import { DEFAULT_CONSUMER, MAX_CONSUMERS } from '../../domain/votes/consumers.ts';
import type { Database } from '../database.ts';

export type Consumer = {
  name: string;
  createdAt: Instant;
  /** To the hour. */
  lastUsedAt: Instant;
};

export interface ConsumerStore {
  /** Whether the guild can claim as this consumer. A new one is added, unless there are `MAX_CONSUMERS` already. */
  use(guildId: string, consumer: string, now: Instant): Promise<boolean>;
  /** By name. */
  list(guildId: string): Promise<Consumer[]>;
  /**
   * Removes it from the list. Its claims stay, so that no vote is rewarded twice if it is used again. Returns false if
   * it does not exist.
   */
  remove(guildId: string, consumer: string): Promise<boolean>;
}

export function createConsumerStore(database: Database): ConsumerStore {
  const sql = prepare(database);

  async function add(guildId: string, consumer: string, now: Instant): Promise<boolean> {
    const [guilds, added] = await sql.add({ guildId, consumer, now, max: MAX_CONSUMERS });
    // A claim for an unknown guild is refused when it is made.
    return guilds === 0 || added === 1 || (await sql.find({ guildId, consumer })).length > 0;
  }

  return {
    async use(guildId, consumer, now) {
      if (consumer === DEFAULT_CONSUMER) return true;
      const [found] = await sql.find({ guildId, consumer });
      if (!found) return add(guildId, consumer, now);
      if (found.last_used_at <= now - HOUR_MS) await sql.touch({ guildId, consumer, now });
      return true;
    },
    async list(guildId) {
      const rows = await sql.list({ guildId });
      return rows.map((row) => ({
        name: row.consumer,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
      }));
    },
    async remove(guildId, consumer) {
      return (await sql.remove({ guildId, consumer })) > 0;
    },
  };
}

type ConsumerRow = { consumer: string; created_at: Instant; last_used_at: Instant };

/** The primary key, in every statement. */
function prepare({ read, write, transaction, dialect: { lock } }: Database) {
  const one = 'guild_id = @guildId AND consumer = @consumer';
  const columns = 'consumer, created_at, last_used_at';
  return {
    find: read<ConsumerRow>(`SELECT ${columns} FROM claim_consumers WHERE ${one}`, 'find-consumer'),
    touch: write(`UPDATE claim_consumers SET last_used_at = @now WHERE ${one}`),
    add: transaction(
      // Concurrent additions wait here, so that each sees the other's consumer. Votes do not wait.
      `SELECT guild_id FROM guilds WHERE guild_id = @guildId ${lock('FOR NO KEY UPDATE')}`,
      `INSERT INTO claim_consumers (guild_id, consumer, created_at, last_used_at)
       SELECT guild_id, @consumer, CAST(@now AS BIGINT), CAST(@now AS BIGINT) FROM guilds WHERE guild_id = @guildId
         AND (SELECT count(*) FROM claim_consumers WHERE guild_id = @guildId) < @max
       ON CONFLICT DO NOTHING`,
    ),
    list: read<ConsumerRow>(
      `SELECT ${columns} FROM claim_consumers WHERE guild_id = @guildId ORDER BY consumer`,
    ),
    remove: write(`DELETE FROM claim_consumers WHERE ${one}`),
  };
}

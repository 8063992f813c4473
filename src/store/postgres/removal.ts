import { BATCHED_TABLES, createRemove, type RemovalStore } from '../removal.ts';
import type { Queryable } from './connection/connection.ts';

const SQL = {
  // Also sanctioned and not listed, for processes of an earlier version.
  begin: `
    UPDATE guilds SET key_hash = NULL, key_sealed = NULL, key_created_at = NULL,
      removed_at = coalesce(removed_at, floor(extract(epoch FROM clock_timestamp()) * 1000)),
      sanctioned_at = coalesce(sanctioned_at, floor(extract(epoch FROM clock_timestamp()) * 1000)),
      unlisted_at = coalesce(unlisted_at, floor(extract(epoch FROM clock_timestamp()) * 1000))
    WHERE guild_id = $1`,
  // Index guilds_removed.
  unfinished: 'SELECT guild_id FROM guilds WHERE removed_at IS NOT NULL ORDER BY guild_id LIMIT $1',
  end: 'DELETE FROM guilds WHERE guild_id = $1 AND removed_at IS NOT NULL',
} as const;

/**
 * Every table has an index that starts with guild_id. Rows that another transaction has locked are skipped: the batch
 * waits for nothing, so it cannot deadlock.
 */
const TABLES = BATCHED_TABLES.map((table) => ({
  remove: `
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE guild_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED
    ))`,
  hasRows: `SELECT EXISTS (SELECT FROM ${table} WHERE guild_id = $1) AS found`,
}));

export function createRemoval(database: Queryable): RemovalStore {
  const change = async (text: string, values: unknown[]) =>
    (await database.query({ text, values })).rowCount ?? 0;

  const removeBatch: RemovalStore['removeBatch'] = async (guildId, limit) => {
    for (const { remove, hasRows } of TABLES) {
      const rows = await change(remove, [guildId, limit]);
      if (rows > 0) return { rows, isDone: false };
      // Rows that are locked now are left for the next batch.
      const { rows: found } = await database.query<{ found: boolean }>({ text: hasRows, values: [guildId] });
      if (found[0]?.found) return { rows: 0, isDone: false };
    }
    return { rows: await change(SQL.end, [guildId]), isDone: true };
  };

  return {
    remove: createRemove(async (guildId) => (await change(SQL.begin, [guildId])) > 0, removeBatch),
    removeBatch,
    async unfinishedRemovals(limit) {
      const { rows } = await database.query<{ guild_id: string }>({ text: SQL.unfinished, values: [limit] });
      return rows.map(({ guild_id }) => guild_id);
    },
  };
}

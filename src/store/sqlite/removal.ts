import { BATCHED_TABLES, createRemove, type RemovalStore } from '../removal.ts';
import type { Connections } from './connection.ts';

const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

export function createRemoval(database: Connections): RemovalStore {
  const { reader, writer } = database;
  // Also sanctioned and not listed, for processes of an earlier version.
  const begin = writer.prepare<[string]>(
    `UPDATE guilds SET key_hash = NULL, key_sealed = NULL, key_created_at = NULL,
       removed_at = coalesce(removed_at, ${NOW}), sanctioned_at = coalesce(sanctioned_at, ${NOW}),
       unlisted_at = coalesce(unlisted_at, ${NOW})
     WHERE guild_id = ?`,
  );
  const end = writer.prepare<[string]>('DELETE FROM guilds WHERE guild_id = ? AND removed_at IS NOT NULL');
  const unfinished = reader
    .prepare<[number], string>(
      `SELECT guild_id FROM guilds INDEXED BY guilds_removed WHERE removed_at IS NOT NULL
       ORDER BY guild_id LIMIT ? + 0`,
    )
    .pluck();
  // Every table has an index that starts with guild_id.
  const tables = BATCHED_TABLES.map((table) =>
    writer.prepare<[string, number]>(`DELETE FROM ${table} WHERE guild_id = ? LIMIT ? + 0`),
  );

  const removeBatch: RemovalStore['removeBatch'] = (guildId, limit) =>
    database.write(() => {
      for (const table of tables) {
        const { changes } = table.run(guildId, limit);
        if (changes > 0) return { rows: changes, isDone: false };
      }
      return { rows: end.run(guildId).changes, isDone: true };
    });

  return {
    remove: createRemove((guildId) => database.write(() => begin.run(guildId).changes > 0), removeBatch),
    removeBatch,
    unfinishedRemovals: async (limit) => unfinished.all(limit),
  };
}

import { type ActivityRow, MAX_ACTIVITIES, toActivity } from '../rows.ts';
import type { ActivityStore } from '../store.ts';
import type { Connections } from './connection.ts';

export function createActivityStore(database: Connections): ActivityStore {
  const record = database.writer.prepare(
    'INSERT INTO activities (guild_id, at, actor_id, actor_name, action) VALUES (?, ?, ?, ?, ?)',
  );
  // Index activities_by_guild, read backwards.
  const recent = database.reader.prepare<[string, number], ActivityRow>(
    `SELECT guild_id, at, actor_id, actor_name, action FROM activities
     WHERE guild_id = ? ORDER BY at DESC, activity_id DESC LIMIT ?`,
  );
  return {
    async record({ guildId, at, actor, action }) {
      const values = [guildId, at, actor?.userId ?? null, actor?.name ?? null, action];
      await database.write(() => record.run(...values));
    },
    async recent(guildId, limit) {
      return recent.all(guildId, Math.min(limit, MAX_ACTIVITIES)).map(toActivity);
    },
  };
}

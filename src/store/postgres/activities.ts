import { type ActivityRow, MAX_ACTIVITIES, toActivity } from '../rows.ts';
import type { ActivityStore } from '../store.ts';
import type { Queryable } from './connection.ts';

const SQL = {
  record: 'INSERT INTO activities (guild_id, at, actor_id, actor_name, action) VALUES ($1, $2, $3, $4, $5)',
  // The primary key, read backwards.
  recent: `
    SELECT guild_id, at, actor_id, actor_name, action FROM activities
    WHERE guild_id = $1 ORDER BY at DESC, activity_id DESC LIMIT $2`,
} as const;

export function createActivityStore(database: Queryable): ActivityStore {
  return {
    async record({ guildId, at, actor, action }) {
      const values = [guildId, at, actor?.userId ?? null, actor?.name ?? null, action];
      await database.query({ text: SQL.record, values });
    },
    async recent(guildId, limit) {
      const values = [guildId, Math.min(limit, MAX_ACTIVITIES)];
      const { rows } = await database.query<ActivityRow>({ text: SQL.recent, values });
      return rows.map(toActivity);
    },
  };
}

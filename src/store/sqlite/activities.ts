import type { Instant } from '../../domain/clock.ts';
import {
  type ActivityRow,
  type ActivityStore,
  KEPT_ACTIONS,
  MAX_ACTIVITIES_READ,
  type MilestonesRow,
  toActivity,
  toColumns,
  toMilestones,
} from '../activities.ts';
import type { Connections } from './connection.ts';

export function createActivityStore(database: Connections): ActivityStore {
  const { reader, writer } = database;
  // Index activities_merged.
  const record = writer.prepare(
    `INSERT INTO activities (guild_id, at, first_at, actor_id, actor_name, action, detail, merge_key)
     SELECT * FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?))
     WHERE EXISTS (SELECT 1 FROM guilds WHERE guild_id = column1)
     ON CONFLICT (guild_id, merge_key) DO UPDATE
     SET count = count + 1, at = max(at, excluded.at), actor_name = excluded.actor_name`,
  );
  // Index activities_by_guild, read backwards.
  const recent = reader.prepare<[string, number], ActivityRow>(
    `SELECT guild_id, at, actor_id, actor_name, action, detail, count, first_at FROM activities
     WHERE guild_id = ? ORDER BY at DESC, activity_id DESC LIMIT ? + 0`,
  );
  const guildsAfter = reader.prepare<[string, number], { guild_id: string }>(
    'SELECT guild_id FROM guilds WHERE guild_id > ? ORDER BY guild_id LIMIT ? + 0',
  );
  // Index activities_by_guild only: most guilds have nothing to delete, and their rows are not read.
  const toPrune = reader.prepare<[string, string, number, Instant], { guild_id: string }>(
    `SELECT guild_id FROM activities WHERE guild_id > ? AND guild_id <= ?
     GROUP BY guild_id HAVING count(*) > ? OR min(at) < ?`,
  );
  const prune = writer.prepare(
    `DELETE FROM activities WHERE activity_id IN (
       SELECT activity_id FROM (
         SELECT activity_id, at, action,
                row_number() OVER (ORDER BY at DESC, activity_id DESC) AS place,
                row_number() OVER (PARTITION BY action, actor_id ORDER BY at DESC, activity_id DESC) AS own_place
         FROM activities WHERE guild_id = ?
       )
       WHERE (at < ? OR place > ?)
         AND NOT (own_place = 1 AND action IN (SELECT value FROM json_each(?)))
     )`,
  );
  // Primary keys.
  const milestones = reader.prepare<[string], MilestonesRow>(
    `SELECT first_request_at, checklist_hidden_at,
            EXISTS (SELECT 1 FROM vote_claims WHERE vote_claims.guild_id = guilds.guild_id) AS has_claims
     FROM guilds LEFT JOIN guild_milestones USING (guild_id) WHERE guilds.guild_id = ?`,
  );
  const recordRequests = writer.prepare(
    `INSERT INTO guild_milestones (first_request_at, guild_id)
     SELECT ?, guild_id FROM guilds WHERE guild_id IN (SELECT value FROM json_each(?))
     ON CONFLICT (guild_id) DO UPDATE SET first_request_at = excluded.first_request_at
     WHERE first_request_at IS NULL`,
  );
  const hideChecklist = writer.prepare(
    `INSERT INTO guild_milestones (checklist_hidden_at, guild_id) SELECT ?, guild_id FROM guilds WHERE guild_id = ?
     ON CONFLICT (guild_id) DO UPDATE SET checklist_hidden_at = excluded.checklist_hidden_at`,
  );
  return {
    async milestones(guildId) {
      return toMilestones(milestones.get(guildId));
    },
    async recordRequests(guildIds, at) {
      await database.write(() => recordRequests.run(at, JSON.stringify(guildIds)));
    },
    async hideChecklist(guildId, at) {
      await database.write(() => hideChecklist.run(at, guildId));
    },
    async record(activity) {
      await database.write(() => record.run(...toColumns(activity)));
    },
    async recent(guildId, limit) {
      return recent.all(guildId, Math.min(limit, MAX_ACTIVITIES_READ)).map(toActivity);
    },
    async prune({ before, maxRows }, afterGuildId, guilds) {
      const last = guildsAfter.all(afterGuildId, guilds).at(-1)?.guild_id;
      if (last === undefined) return undefined;
      const keptActions = JSON.stringify(KEPT_ACTIONS);
      // One by one, so that other writes can run in between.
      for (const { guild_id } of toPrune.all(afterGuildId, last, maxRows, before))
        await database.write(() => prune.run(guild_id, before, maxRows, keptActions));
      return last;
    },
  };
}

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
import type { Queryable } from './connection/connection.ts';

const SQL = {
  // Index activities_merged.
  record: `
    INSERT INTO activities AS kept (guild_id, at, first_at, actor_id, actor_name, action, detail, merge_key)
    SELECT guild_id, $2, $3, $4, $5, $6, $7, $8 FROM guilds WHERE guild_id = $1 FOR KEY SHARE
    ON CONFLICT (guild_id, merge_key) DO UPDATE
    SET count = kept.count + 1, at = greatest(kept.at, excluded.at), actor_name = excluded.actor_name`,
  // The primary key, read backwards.
  recent: `
    SELECT guild_id, at, actor_id, actor_name, action, detail, count, first_at FROM activities
    WHERE guild_id = $1 ORDER BY at DESC, activity_id DESC LIMIT $2`,
  guildsAfter: 'SELECT guild_id FROM guilds WHERE guild_id > $1 ORDER BY guild_id LIMIT $2',
  // The primary key, guild by guild.
  prune: `
    DELETE FROM activities USING (
      SELECT guild_id, activity_id, at, action,
             row_number() OVER (PARTITION BY guild_id ORDER BY at DESC, activity_id DESC) AS place,
             row_number() OVER (PARTITION BY guild_id, action, actor_id
                                ORDER BY at DESC, activity_id DESC) AS own_place
      FROM activities WHERE guild_id > $1 AND guild_id <= $2
    ) AS ranked
    WHERE activities.guild_id = ranked.guild_id AND activities.at = ranked.at
      AND activities.activity_id = ranked.activity_id
      AND (ranked.at < $3 OR ranked.place > $4)
      AND NOT (ranked.own_place = 1 AND ranked.action = ANY ($5::text[]))`,
  // Primary keys.
  milestones: `
    SELECT first_request_at, checklist_hidden_at,
           EXISTS (SELECT 1 FROM vote_claims WHERE vote_claims.guild_id = guilds.guild_id) AS has_claims
    FROM guilds LEFT JOIN guild_milestones USING (guild_id) WHERE guilds.guild_id = $1`,
  // In a fixed order, so that processes that store the same guilds cannot deadlock.
  recordRequests: `
    INSERT INTO guild_milestones AS kept (guild_id, first_request_at)
    SELECT guild_id, $2 FROM guilds WHERE guild_id = ANY ($1::text[]) ORDER BY guild_id FOR KEY SHARE
    ON CONFLICT (guild_id) DO UPDATE SET first_request_at = excluded.first_request_at
    WHERE kept.first_request_at IS NULL`,
  hideChecklist: `
    INSERT INTO guild_milestones (guild_id, checklist_hidden_at)
    SELECT guild_id, $2 FROM guilds WHERE guild_id = $1 FOR KEY SHARE
    ON CONFLICT (guild_id) DO UPDATE SET checklist_hidden_at = excluded.checklist_hidden_at`,
} as const;

export function createActivityStore(database: Queryable): ActivityStore {
  return {
    async milestones(guildId) {
      const { rows } = await database.query<MilestonesRow>({ text: SQL.milestones, values: [guildId] });
      return toMilestones(rows[0]);
    },
    async recordRequests(guildIds, at) {
      await database.query({ text: SQL.recordRequests, values: [guildIds, at] });
    },
    async hideChecklist(guildId, at) {
      await database.query({ text: SQL.hideChecklist, values: [guildId, at] });
    },
    async record(activity) {
      await database.query({ text: SQL.record, values: toColumns(activity) });
    },
    async recent(guildId, limit) {
      const values = [guildId, Math.min(limit, MAX_ACTIVITIES_READ)];
      const { rows } = await database.query<ActivityRow>({ text: SQL.recent, values });
      return rows.map(toActivity);
    },
    async prune({ before, maxRows }, afterGuildId, guilds) {
      const page = { text: SQL.guildsAfter, values: [afterGuildId, guilds] };
      const { rows } = await database.query<{ guild_id: string }>(page);
      const last = rows.at(-1)?.guild_id;
      if (last === undefined) return undefined;
      const values = [afterGuildId, last, before, maxRows, KEPT_ACTIONS];
      await database.query({ text: SQL.prune, values });
      return last;
    },
  };
}

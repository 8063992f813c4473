import {
  type AuditRow,
  type AuditStore,
  auditStart,
  toAudit,
  toAuditColumns,
} from '../../moderation/audit.ts';
import type { Queryable } from '../connection.ts';

const SQL = {
  record: `
    INSERT INTO operator_actions (at, actor_id, actor_name, action, guild_id, detail)
    VALUES ($1, $2, $3, $4, $5, $6)`,
  // The primary key (at, action_id), read backwards.
  recent: `
    SELECT action_id, at, actor_id, actor_name, action, guild_id, detail FROM operator_actions
    WHERE (at, action_id) < ($1, $2) ORDER BY at DESC, action_id DESC LIMIT $3`,
  // The primary key. Rows that another process is deleting are skipped.
  prune: `
    DELETE FROM operator_actions WHERE (at, action_id) IN (
      SELECT at, action_id FROM operator_actions WHERE at < $1 ORDER BY at, action_id LIMIT $2 FOR UPDATE SKIP LOCKED
    )`,
} as const;

export function createAuditStore(database: Queryable): AuditStore {
  return {
    async record(entry) {
      await database.query({ text: SQL.record, values: toAuditColumns(entry) });
    },
    async recent(before, limit) {
      const { at, id } = auditStart(before);
      const { rows } = await database.query<AuditRow>({ text: SQL.recent, values: [at, id, limit] });
      return rows.map(toAudit);
    },
    async prune(before, limit) {
      return (await database.query({ text: SQL.prune, values: [before, limit] })).rowCount ?? 0;
    },
  };
}

import type { Instant } from '../../../domain/clock.ts';
import {
  type AuditRow,
  type AuditStore,
  auditStart,
  toAudit,
  toAuditColumns,
} from '../../moderation/audit.ts';
import type { Connections } from '../connection.ts';

export function createAuditStore(database: Connections): AuditStore {
  const { reader, writer } = database;
  const record = writer.prepare(
    `INSERT INTO operator_actions (at, actor_id, actor_name, action, guild_id, detail) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  // Index operator_actions_by_time, read backwards.
  const recent = reader.prepare<[Instant, number, number], AuditRow>(
    `SELECT action_id, at, actor_id, actor_name, action, guild_id, detail FROM operator_actions
     INDEXED BY operator_actions_by_time
     WHERE (at, action_id) < (?, ?) ORDER BY at DESC, action_id DESC LIMIT ?`,
  );
  const prune = writer.prepare(
    `DELETE FROM operator_actions WHERE action_id IN (
       SELECT action_id FROM operator_actions INDEXED BY operator_actions_by_time WHERE at < ? LIMIT ?
     )`,
  );
  return {
    async record(entry) {
      await database.write(() => record.run(...toAuditColumns(entry)));
    },
    async recent(before, limit) {
      const { at, id } = auditStart(before);
      return recent.all(at, id, limit).map(toAudit);
    },
    prune: (before, limit) => database.write(() => prune.run(before, limit).changes),
  };
}
